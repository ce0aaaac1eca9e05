import { anthropicMessages } from './anthropic-messages.ts';
import { geminiContent } from './gemini-content.ts';
import { geminiEmbeddings } from './gemini-embeddings.ts';
import { openaiChat } from './openai-chat.ts';
import { openaiEmbeddings } from './openai-embeddings.ts';
import { openaiImages } from './openai-images.ts';
import { openaiResponses } from './openai-responses.ts';
import type { Protocol } from './protocol.ts';

/** All that the server speaks; a further one is a file like these, and a line here. */
export const PROTOCOLS: readonly Protocol[] = [
  openaiChat,
  openaiResponses,
  openaiEmbeddings,
  openaiImages,
  anthropicMessages,
  geminiContent,
  geminiEmbeddings,
];
