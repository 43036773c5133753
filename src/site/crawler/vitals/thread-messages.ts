import type { PageLoad } from './vitals.ts';

/** The start data of a thread. */
export interface LighthouseThreadData {
  /** The path of a Chromium. */
  readonly browser: string;
  readonly proxyPort: number;
  readonly userAgent: string;
  readonly formFactor: 'mobile' | 'desktop';
}

/** A request of a page that waits for the decision whether it may be sent. */
export interface AskedRequest {
  readonly url: string;
  readonly method: string;
  /** The browser's name of the type: `Document`, `Script` and others. */
  readonly type: string;
}

/** False: the request is not sent. */
export type RequestVerdict = false | { readonly headers: Readonly<Record<string, string>> };

/** To the thread: a page to load, in a browser with this empty folder; or the response to one of its requests. */
export type ToThread =
  | { readonly load: string; readonly folder: string }
  | { readonly answer: number; readonly verdict: RequestVerdict };

export type FromThread =
  | { readonly ask: number; readonly request: AskedRequest }
  | { readonly loaded: PageLoad }
  /** A problem that makes each further load fail too. */
  | { readonly broken: string };
