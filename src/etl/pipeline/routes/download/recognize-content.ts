import { asErrorObject, serviceError } from '../../../../client/http/service-error.ts';
import { CrawlhouseError } from '../../../../core/errors/errors.ts';
import { jsonOf } from '../../../../core/text/json.ts';

/**
 * The first bytes of a file, which are checked before any row counts. An error object or the head of a page fits in
 * them.
 */
const HEAD_BYTES = 4096;

export interface Expected {
  readonly format: 'csv' | 'json';
  /** Its name in messages. */
  readonly file: string;
  /** Names of the requested fields. A row may have other fields, except for those of an error object. */
  readonly fields: readonly string[];
  /** Whether it is an object of a store. An error object in a store is not a response to a request. */
  readonly isStored?: boolean | undefined;
}

/** No text begins like this: with control characters, or bytes that are not UTF-8. */
const NO_TEXT = /^.{0,3}(?!\s)[\p{Cc}\ufffd]/su;
const SHOWN_BYTES = 8;
const WORDS = { csv: 'CSV', json: 'JSON lines' } as const;
/** Content types that name another kind of file. For an unknown one, the content decides. */
const OTHER_KINDS = /html|xml|^(image|audio|video|font|multipart)\/|pdf/i;
const OTHER_FORMAT = { csv: /json/i, json: /csv/i } as const;

/** @throws CrawlhouseError `contract_broken` for a content type that names another kind of file */
export function refuseForeignType(contentType: string | undefined, { format, file }: Expected): void {
  const type = contentType?.split(';')[0]?.trim() ?? '';
  if (!OTHER_KINDS.test(type) && !OTHER_FORMAT[format].test(type)) return;
  throw new CrawlhouseError('contract_broken', `${file}: received ${type} instead of ${WORDS[format]}`);
}

/**
 * Passes on a file after checking its first bytes. An HTML page or an error object is not a file of rows, whatever its
 * status.
 *
 * @throws CrawlhouseError `contract_broken`, or the service's own error
 */
export async function* recognizedContent(
  content: AsyncIterable<Buffer>,
  expected: Expected,
): AsyncGenerator<Buffer> {
  const head: Buffer[] = [];
  let length = 0;
  let isRecognized = false;
  for await (const piece of content) {
    if (isRecognized) {
      yield piece;
      continue;
    }
    head.push(piece);
    length += piece.length;
    if (length < HEAD_BYTES) continue;
    refuseForeign(Buffer.concat(head), false, expected);
    isRecognized = true;
    yield* head;
  }
  if (isRecognized) return;
  refuseForeign(Buffer.concat(head), true, expected);
  yield* head;
}

function refuseForeign(head: Buffer, isWhole: boolean, expected: Expected): void {
  const { format, file } = expected;
  // Without a byte order mark, which counts as space.
  const text = head.toString('utf8').trimStart();
  const refused = (what: string): CrawlhouseError =>
    new CrawlhouseError('contract_broken', `${file}: ${what}`);
  const foreign = (what: string): CrawlhouseError =>
    refused(`received ${what} instead of ${WORDS[format]}: ${JSON.stringify(text.slice(0, 80))}`);
  if (NO_TEXT.test(text))
    throw refused(`not text in UTF-8, the first bytes are ${head.toString('hex', 0, SHOWN_BYTES)}`);
  if (text.startsWith('<')) throw foreign('an HTML or XML page');
  if (text.startsWith('[') && format === 'json') throw foreign('a JSON array');
  if (!text.startsWith('{')) return;
  // An object over several lines, or the first of the lines.
  const [firstLine = ''] = text.split('\n', 1);
  for (const candidate of isWhole ? [text, firstLine] : [firstLine]) {
    const said = asErrorObject(jsonOf(candidate));
    const isRow =
      said && format === 'json' && Object.keys(said).every((key) => expected.fields.includes(key));
    if (!said || isRow) continue;
    throw expected.isStored
      ? foreign('an error object')
      : serviceError({ method: 'the export', path: file }, 200, said, undefined);
  }
}
