import { SinkUnavailableError } from '@hardcap/core';

/** The server has a hold, and too few replicas have said that they do. */
export class UnconfirmedError extends SinkUnavailableError {}
