import Ajv, { type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { OpenApiDocument } from '../../src/client/openapi/openapi.ts';
import type { Operation } from '../../src/client/openapi/openapi-operation.ts';
import type { Recorded } from './recorder.ts';

type Schema = Readonly<Record<string, unknown>>;

/** Holds requests and answers against an OpenAPI document, with a validator that knows nothing of how it was made. */
export class DocumentCheck {
  readonly #document: OpenApiDocument;
  readonly #ajv: InstanceType<typeof Ajv.default>;

  readonly #compiled = new Map<string, ValidateFunction>();

  constructor(document: OpenApiDocument) {
    this.#document = document;
    this.#ajv = new Ajv.default({ strict: false, allErrors: true });
    formats.default(this.#ajv);
    this.#ajv.addSchema({ ...document, $id: 'https://document.example/' });
  }

  /** The operation of a request: the path with the fewest parameters goes before others (OpenAPI, "Paths Object"). */
  find({
    method,
    path,
  }: Pick<Recorded, 'method' | 'path'>): [template: string, operation: Operation] | undefined {
    const segments = segmentsOf(path);
    return Object.entries(this.#document.paths)
      .filter(([template]) => matches(template, segments))
      .sort(([a], [b]) => parametersOf(a) - parametersOf(b))
      .flatMap(([template, methods]): [string, Operation][] => {
        const operation = methods[method.toLowerCase()];
        return operation === undefined ? [] : [[template, operation]];
      })
      .at(0);
  }

  /** What is wrong with a request by the document; nothing when it is right. */
  problemsOfRequest(request: Pick<Recorded, 'method' | 'path' | 'headers' | 'body'>): string[] {
    const found = this.find(request);
    if (found === undefined) return [`the document has no ${request.method} ${request.path}`];
    const [template, operation] = found;
    const query = new URLSearchParams(request.path.split('?')[1] ?? '');
    const inPath = template
      .split('/')
      .slice(1)
      .flatMap((part, index) =>
        part.startsWith('{') ? [[part.slice(1, -1), segmentsOf(request.path)[index] ?? ''] as const] : [],
      );
    const given = new Map([...inPath, ...query]);
    const known = new Map(operation.parameters.map((parameter) => [parameter.name, parameter]));
    return [
      ...[...query.keys()]
        .filter((name) => known.get(name)?.in !== 'query')
        .map((name) => `no query ${name}`),
      ...operation.parameters
        .filter(({ name, required }) => required && !given.has(name))
        .map(({ name }) => `no ${name}`),
      ...[...given].flatMap(([name, text]) =>
        this.#problemsOfParameter(known.get(name)?.schema ?? {}, text, name),
      ),
      ...this.#problemsOfBody(request, operation),
    ];
  }

  /** What is wrong with an answer by the document. */
  problemsOfAnswer(recorded: Recorded): string[] {
    const [, operation] = this.find(recorded) ?? [];
    const response = operation?.responses[recorded.status] as Schema | undefined;
    if (response === undefined) return [`no answer ${recorded.status} in the document`];
    const resolved = (
      typeof response.$ref === 'string'
        ? this.#document.components.responses[response.$ref.split('/').at(-1) ?? '']
        : response
    ) as { content?: Record<string, { schema: Schema }> };
    if (resolved.content === undefined)
      return recorded.answer.length === 0 ? [] : ['a body where there is none'];
    const media = resolved.content[recorded.answerType];
    if (media === undefined) return [`no answer of type ${recorded.answerType} in the document`];
    const text = recorded.answer.toString();
    const value = recorded.answerType === 'application/json' ? JSON.parse(text) : text;
    return this.#problems(media.schema, value, 'answer');
  }

  #problemsOfBody(
    { headers, body }: Pick<Recorded, 'headers' | 'body'>,
    { requestBody }: Operation,
  ): string[] {
    if (requestBody === undefined) return body.length > 0 ? ['a body where there is none'] : [];
    if (body.length === 0) return requestBody.required ? ['no body'] : [];
    const type = String(headers['content-type']).split(';')[0] ?? '';
    const media = requestBody.content[type] as { schema: Schema } | undefined;
    if (media === undefined) return [`no body of type ${type} in the document`];
    // What a form holds is bytes; which parts it has is what the document says of it.
    const value =
      type === 'application/json'
        ? JSON.parse(body.toString())
        : Object.fromEntries(
            [...body.toString().matchAll(/form-data; name="(\w+)"/g)].map(([, name]) => [name, '']),
          );
    return this.#problems(media.schema, value, 'body');
  }

  #problemsOfParameter(schema: Schema, text: string, name: string): string[] {
    return this.#problems(schema, readParameter(text, schema), name);
  }

  #problems(schema: Schema, value: unknown, where: string): string[] {
    // References of the document's parts are meant from its root.
    const text = JSON.stringify(schema).replaceAll('"#/', '"https://document.example/#/');
    const validate = this.#compiled.get(text) ?? this.#ajv.compile(JSON.parse(text));
    this.#compiled.set(text, validate);
    if (validate(value)) return [];
    return (validate.errors ?? []).map((error) => `${where}${error.instancePath}: ${error.message}`);
  }
}

function segmentsOf(path: string): string[] {
  return (path.split('?')[0] ?? '').split('/').slice(1).map(decodeURIComponent);
}

function matches(template: string, segments: readonly string[]): boolean {
  const parts = template.split('/').slice(1);
  return (
    parts.length === segments.length &&
    parts.every((part, index) => part.startsWith('{') || part === segments[index])
  );
}

function parametersOf(template: string): number {
  return template.split('{').length;
}

/** A parameter's text as the value that its schema means. */
function readParameter(text: string, schema: Schema): unknown {
  return schema.type === 'integer' && /^-?\d+$/.test(text) ? Number(text) : text;
}
