import type { ObjectFolder } from '../object-folder.ts';
import type { IndexedObject } from '../object-index.ts';
import type { StoreAnswer, StoreRequest } from '../store-server.ts';

/** A request about a bucket or one of its objects. */
export interface GcsRequest {
  readonly folder: ObjectFolder;
  readonly request: StoreRequest;
  readonly bucket: string;
  /** Address of the store as the client knows it. */
  readonly base: string;
}

/** Refuses a request whose `ifGeneration…` parameters do not match the existing object. */
export function checkConditions({ query }: StoreRequest, object: IndexedObject | undefined): void {
  const generation = object?.generation ?? '0';
  const match = query.get('ifGenerationMatch') ?? generation;
  if (match !== generation || query.get('ifGenerationNotMatch') === generation)
    throw new GcsError(412, 'At least one of the pre-conditions you specified did not hold.');
}

/** Returns the object of this key; with `generation` in the query only if it has that version. */
export function objectOf({ folder, request, bucket }: GcsRequest, key: string): IndexedObject {
  const object = folder.index.object(bucket, key);
  const generation = request.query.get('generation');
  if (object === undefined || (generation !== null && generation !== object.generation))
    throw new GcsError(404, `No such object: ${bucket}/${key}`);
  checkConditions(request, object);
  return object;
}

export function jsonAnswer(value: unknown, status = 200): StoreAnswer {
  const headers = { 'content-type': 'application/json; charset=UTF-8' };
  return { status, headers, body: JSON.stringify(value) };
}

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

export class GcsError extends Error {
  override readonly name = 'GcsError';
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }

  /** Returns the body on the wire. */
  toJSON(): Record<string, unknown> {
    const reason = REASONS[this.status] ?? (this.status >= 500 ? 'internalError' : 'invalid');
    const errors = [{ message: this.message, domain: 'global', reason }];
    return { error: { code: this.status, message: this.message, errors } };
  }
}
