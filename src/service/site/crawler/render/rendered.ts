/** What a page asked for while it was rendered, as the field `resources` has it. */
export interface Resource {
  readonly url: string;
  /** As the browser calls it: `document`, `stylesheet`, `image`, `script`, `xhr`, `fetch` and others. */
  readonly type: string;
  /** Null where nothing was sent, or nobody answered. */
  readonly status: number | null;
  readonly content_type: string | null;
  /** Bytes after content-encoding. */
  readonly size: number | null;
  readonly robots_txt_denied: boolean;
  /** Why there is no answer, such as `timeout` or `not_loaded`; else null. */
  readonly error: string | null;
}

/** Why a page was not rendered, or not as a browser would: values of `processing_warnings`. */
export type RenderWarning =
  `render_${'timeout' | 'memory' | 'crashed' | 'failed' | 'navigated' | 'request_limit' | 'size_limit'}`;

/** `url`: `document.URL` without its fragment; `base`: `document.baseURI`, which addresses are resolved against. */
export interface DocumentPlace {
  readonly url: string;
  readonly base: string;
}

export interface Rendered {
  /** The document after scripts ran; null where the page could not be rendered. */
  readonly html: string | null;
  /** Where the document was when it was read: scripts may change its URL (`history.replaceState`). */
  readonly place?: DocumentPlace;
  /** Where the page's scripts, or a `meta refresh`, would have led the browser. */
  readonly scriptRedirect: string | null;
  readonly resources: readonly Resource[];
  readonly warnings: readonly RenderWarning[];
}

/** A page that can't be rendered: it keeps the content of its HTML. */
export class RenderFailure extends Error {
  readonly warning: RenderWarning;

  constructor(warning: RenderWarning, options?: ErrorOptions) {
    super(warning, options);
    this.warning = warning;
  }
}
