/** A resource that a page requested while it was rendered, as in the field `resources`. */
export interface Resource {
  readonly url: string;
  /** The browser's name of the type: `document`, `stylesheet`, `image`, `script`, `xhr`, `fetch` and others. */
  readonly type: string;
  /** Null if nothing was sent, or nothing answered. */
  readonly status: number | null;
  readonly content_type: string | null;
  /** Bytes after content-encoding. */
  readonly size: number | null;
  readonly robots_txt_denied: boolean;
  /** Why there is no response, such as `timeout` or `not_loaded`; else null. */
  readonly error: string | null;
}

/** Why a page was not rendered, or not as a browser would: values of `processing_warnings`. */
export type RenderWarning =
  `render_${'timeout' | 'memory' | 'crashed' | 'failed' | 'navigated' | 'request_limit' | 'size_limit'}`;

/** `url`: `document.URL` without its fragment; `base`: `document.baseURI`, the base of relative addresses. */
export interface DocumentPlace {
  readonly url: string;
  readonly base: string;
}

export interface Rendered {
  /** The document after scripts ran; null if the page could not be rendered. */
  readonly html: string | null;
  /** The URL of the document when it was read: scripts may change it (`history.replaceState`). */
  readonly place?: DocumentPlace;
  /** Where the page's scripts, or a `meta refresh`, would have redirected the browser. */
  readonly scriptRedirect: string | null;
  readonly resources: readonly Resource[];
  readonly warnings: readonly RenderWarning[];
}

/** The error for a page that cannot be rendered, which keeps the content of its HTML. */
export class RenderFailure extends Error {
  readonly warning: RenderWarning;

  constructor(warning: RenderWarning, options?: ErrorOptions) {
    super(warning, options);
    this.warning = warning;
  }
}
