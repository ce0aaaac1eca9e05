export function openaiHeaders(suffix: string): Record<string, string> {
  return {
    'openai-organization': 'wire',
    'openai-processing-ms': '1',
    'openai-version': '2020-10-01',
    'x-request-id': `req_${suffix}`,
  };
}
