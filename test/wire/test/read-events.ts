interface ReadEvent {
  readonly name: string | undefined;
  /** Parsed where it is JSON. */
  readonly data: unknown;
}

/** The events of a finished stream; throws where its framing is not the one of the real ones. */
export async function readEvents(response: Response): Promise<ReadEvent[]> {
  const text = await response.text();
  // Google's lines end as those of HTTP do.
  const end = text.endsWith('\r\n\r\n') ? '\r\n\r\n' : '\n\n';
  if (!text.endsWith(end)) throw new Error(`A stream ends with ${JSON.stringify(text.slice(-9))}`);
  return text.slice(0, -end.length).split(end).map(readEvent);
}

function readEvent(text: string): ReadEvent {
  const found = /^(?:event: (?<name>.*)\n)?data: (?<data>.*)$/.exec(text);
  if (found === null) throw new Error(`No event: ${text}`);
  const { name, data = '' } = found.groups ?? {};
  return { name, data: data.startsWith('{') ? JSON.parse(data) : data };
}
