const PATH = /^\/v1(?:beta)?\/models\/(?<model>[^/:]+):(?<method>\w+)$/;

/** Gemini's model and method, which stand in its paths; undefined for a path that is none of them. */
export function geminiPath(
  pathname: string,
): { readonly model: string; readonly method: string } | undefined {
  const { model, method } = PATH.exec(pathname)?.groups ?? {};
  if (model === undefined || method === undefined) return undefined;
  return { model: decodeURIComponent(model), method };
}
