/** What recording and replaying have in common. */
export type RecordingMode = { readonly fetch: typeof globalThis.fetch; readonly close: () => void };

/** The part of `fetch` that recording needs from whoever answers. */
export type RecordingFetch = (url: string, init: RequestInit) => Promise<Response>;
