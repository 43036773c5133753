import type { Load } from './vitals.ts';

/** What a thread is started with. */
export interface LighthouseThreadData {
  /** The path of a Chromium. */
  readonly browser: string;
  readonly proxyPort: number;
  readonly userAgent: string;
  readonly formFactor: 'mobile' | 'desktop';
}

/** A request of a page that waits for whether it may be sent. */
export interface AskedRequest {
  readonly url: string;
  readonly method: string;
  /** As the browser calls it: `Document`, `Script` and others. */
  readonly type: string;
}

/** False: it is not sent. */
export type RequestVerdict = false | { readonly headers: Readonly<Record<string, string>> };

/** To the thread: a page to load, in a browser with this folder, which is empty; or the answer to a question of it. */
export type ToThread =
  | { readonly load: string; readonly folder: string }
  | { readonly answer: number; readonly verdict: RequestVerdict };

export type FromThread =
  | { readonly ask: number; readonly request: AskedRequest }
  | { readonly loaded: Load }
  /** What makes each further load fail too. */
  | { readonly broken: string };
