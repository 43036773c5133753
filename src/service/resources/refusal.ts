import { SERVICE_ERROR_STATUS, type ServiceErrorType } from '../../client/http/service-error.ts';

export interface OffendingField {
  readonly name: string;
  readonly type: string;
  readonly message: string;
}

/** A request that the service refuses, as the error object of api-spec.md §7. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly type: ServiceErrorType;
  readonly code: string | undefined;
  readonly fields: readonly OffendingField[] | undefined;

  constructor(
    type: ServiceErrorType,
    message: string,
    details: { readonly code?: string; readonly fields?: readonly OffendingField[] } = {},
  ) {
    super(message);
    this.type = type;
    this.code = details.code;
    this.fields = details.fields;
  }

  get status(): number {
    return SERVICE_ERROR_STATUS[this.type];
  }

  /** Returns the body on the wire. */
  toJSON(): Record<string, unknown> {
    return {
      type: this.type,
      ...(this.code === undefined ? {} : { code: this.code }),
      message: this.message,
      ...(this.fields === undefined ? {} : { fields: this.fields }),
    };
  }
}

/** Refuses parameters that do not meet their specification, each by name. */
export function invalidParameters(...fields: readonly OffendingField[]): Refusal {
  const said = fields.map((field) => `${field.name}: ${field.message}`).join('; ');
  return new Refusal('invalid_request_parameters', said, { fields });
}

export function invalidParameter(name: string, type: string, message: string): Refusal {
  return invalidParameters({ name, type, message });
}

/** Refuses a value that another resource already has, if it must be unique (api-spec.md §7). */
export function duplicateEntry(name: string, message: string): Refusal {
  return new Refusal('duplicate_entry', message, {
    fields: [{ name, type: 'duplicate', message: 'is taken' }],
  });
}

/** Refuses a request that the token may not make, or whose feature the workspace or project lacks. */
export function forbidden(message: string, code: string): Refusal {
  return new Refusal('forbidden', message, { code });
}

/** Refuses a request that the current state of a resource does not allow. */
export function wrongState(message: string): Refusal {
  return new Refusal('invalid_state_for_request', message);
}

export function notFound(what: string): Refusal {
  return new Refusal('resource_not_found', `${what} does not exist`);
}
