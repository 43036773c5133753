/** Reasons of Google's JSON API by status. */
const REASONS: Readonly<Record<number, string>> = {
  400: 'invalid',
  403: 'forbidden',
  404: 'notFound',
  405: 'methodNotAllowed',
  409: 'conflict',
  410: 'gone',
  412: 'conditionNotMet',
  416: 'requestedRangeNotSatisfiable',
  429: 'rateLimitExceeded',
  501: 'notImplemented',
  503: 'backendError',
};

/** A refusal of the built-in GCS. */
export class GcsError extends Error {
  override readonly name = 'GcsError';
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }

  /** The body on the wire. */
  toJSON(): Record<string, unknown> {
    const reason = REASONS[this.status] ?? (this.status >= 500 ? 'internalError' : 'invalid');
    const errors = [{ message: this.message, domain: 'global', reason }];
    return { error: { code: this.status, message: this.message, errors } };
  }
}
