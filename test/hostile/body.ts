import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { type Cell, COLUMNS, type Row } from './rows.ts';
import { contentOf, DRIFT_NAMES, FURTHER, type UnitCase } from './unit-case.ts';

/** Bytes that a record, and a body after decompression, may have at most in these runs. */
const RECORD_LIMIT = 1024 * 1024;
const BODY_LIMIT = 48 * 1024 * 1024;

/** A body as it is sent, and what its `Content-Encoding` says. */
export interface Body {
  readonly bytes: Buffer;
  readonly contentEncoding: string | null;
}

export function bodyOf(one: UnitCase, format: 'csv' | 'json'): Body {
  return encode(contentBytes(one, format), one);
}

function contentBytes(one: UnitCase, format: 'csv' | 'json'): Buffer {
  const content = contentOf(one, format);
  const names: string[] = COLUMNS.map((column) => column.name);
  const further = DRIFT_NAMES[one.drift];
  if (further !== undefined) names.push(further);
  let table: Row[] = one.rows.map((row) => (further === undefined ? row : [...row, FURTHER]));
  const middle = Math.min(table.length - 1, Math.floor(one.at * table.length));
  const change = (column: string, cell: Cell): void => {
    const index = names.indexOf(column);
    table = table.map((row, line) => (line === middle ? row.with(index, cell) : row));
  };
  const number = (written: string): Cell => ({ json: written, csv: written, loaded: null });
  const text = (written: string): Cell => ({ json: JSON.stringify(written), csv: written, loaded: null });
  if (content === 'row_lost') table = table.toSpliced(middle, 1);
  if (content === 'row_twice') table = table.toSpliced(middle, 0, table[middle] ?? []);
  if (content === 'broken_number') change('clicks', text('many'));
  if (content === 'fraction_in_natural') change('clicks', number('6815006321142732.5'));
  if (content === 'underscore_number') change('ratio', text('1_0.5'));
  if (content === 'broken_date') change('fetched', text('25-01-02'));
  if (content === 'ambiguous_zone') change('fetched', text('2025/07/01 12:00:00 BST'));
  if (content === 'columns_missing') {
    names.splice(2, names.length - 2);
    table = table.map((row) => row.slice(0, 2));
  }
  if (content === 'no_columns') {
    names.splice(0, names.length, 'message');
    table = table.map(() => [FURTHER]);
  }
  if (content === 'unknown_key' || content === 'deep_nesting') {
    const deep = number(`${'['.repeat(20_000)}${']'.repeat(20_000)}`);
    names.push('undeclared');
    table = table.map((row) => [...row, content === 'deep_nesting' ? deep : FURTHER]);
  }
  if (content === 'shuffled_columns') {
    names.reverse();
    table = table.map((row) => row.toReversed());
  }
  return mangle(records(names, table, format, content === 'omitted_nulls'), one, format);
}

/** Lines with their ends; the header of a CSV among them. */
function records(
  names: readonly string[],
  table: readonly Row[],
  format: 'csv' | 'json',
  omitsNulls: boolean,
): string[] {
  if (format === 'csv') {
    const header = names.map((name) => `"${name.replaceAll('"', '""')}"`).join(';');
    return [header, ...table.map((row) => row.map((cell) => cell.csv).join(';'))].map((line) => `${line}\n`);
  }
  return table.map((row) => {
    const pairs = row.flatMap((cell, index) =>
      omitsNulls && cell.loaded === null ? [] : [`${JSON.stringify(names[index])}:${cell.json}`],
    );
    return `{${pairs.join(',')}}\n`;
  });
}

const ERROR = '{"type":"internal_error","message":"something broke"}\n';

function mangle(lines: readonly string[], one: UnitCase, format: 'csv' | 'json'): Buffer {
  const whole = lines.join('');
  const last = lines.at(-1) ?? '';
  switch (contentOf(one, format)) {
    case 'byte_order_mark':
      return Buffer.from(`\ufeff${whole}`);
    case 'blank_lines':
      return Buffer.from(lines.map((line) => `${line}\n`).join(''));
    case 'lines_of_spaces':
      return Buffer.from(['', ...lines].map((line) => `${line} \t\r\n`).join(''));
    case 'crlf':
      return Buffer.from(lines.map((line) => `${line.slice(0, -1)}\r\n`).join(''));
    case 'mixed_line_ends':
      return Buffer.from(
        lines.map((line, index) => (index % 2 === 0 ? line : `${line.slice(0, -1)}\r\n`)).join(''),
      );
    case 'no_final_newline':
      return Buffer.from(whole.slice(0, -1));
    case 'json_array':
      return Buffer.from(`[${lines.map((line) => line.slice(0, -1)).join(',')}]\n`);
    case 'half_a_row':
      return Buffer.from(whole.slice(0, whole.length - Math.ceil(last.length / 2) - 1));
    case 'error_object':
      return Buffer.from(ERROR);
    case 'error_behind_rows':
      return Buffer.from(whole + ERROR);
    case 'html':
      return Buffer.from('<html>\n<body>\nBad gateway\n</body>\n</html>\n');
    case 'zero_bytes':
      return Buffer.concat([Buffer.from(whole), Buffer.alloc(64), Buffer.from('\n')]);
    case 'invalid_utf8':
      return Buffer.from(whole.replace('example.com', 'ex\u0001mple.com'), 'utf8').map((byte) =>
        byte === 1 ? 0xff : byte,
      ) as Buffer;
    case 'wrong_delimiter':
      return Buffer.from(lines.map((line) => line.replaceAll('";"', '","').replaceAll(';', ',')).join(''));
    case 'key_twice':
      return Buffer.from(whole.replace('{', '{"url":"https://example.com/first",'));
    case 'endless_line':
      return Buffer.concat([Buffer.from(whole), Buffer.alloc(RECORD_LIMIT * 4, 'x'), Buffer.from('\n')]);
    case 'endless_rows':
      return Buffer.from(whole + (lines.at(-1) ?? ERROR).repeat(lines.length + 5000));
    default:
      return Buffer.from(whole);
  }
}

function encode(content: Buffer, one: UnitCase): Body {
  const gzip = gzipSync(content);
  const at = Math.floor(one.at * content.length);
  const is = (bytes: Buffer, contentEncoding: string | null): Body => ({ bytes, contentEncoding });
  switch (one.encoding) {
    case 'gzip':
      return is(gzip, 'gzip');
    case 'gzip_members':
      return is(Buffer.concat([gzipSync(content.subarray(0, at)), gzipSync(content.subarray(at))]), 'gzip');
    case 'upper_case_gzip':
      return is(gzip, ' GZIP ');
    case 'brotli':
      return is(brotliCompressSync(content), 'br');
    case 'deflate':
      return is(deflateSync(content), 'deflate');
    case 'gzip_twice':
      return is(gzipSync(gzip), 'gzip, gzip');
    case 'unknown_encoding':
      return is(content, 'x-secret');
    case 'gzip_without_trailer':
      return is(gzip.subarray(0, gzip.length - 4), 'gzip');
    case 'gzip_flipped': {
      // Behind the header, whose bytes are not all checked.
      const place = 10 + Math.floor(one.at * (gzip.length - 11));
      return is(
        Buffer.from(gzip).map((byte, index) => (index === place ? byte ^ 0x55 : byte)) as Buffer,
        'gzip',
      );
    }
    case 'gzip_with_garbage':
      return is(Buffer.concat([gzip, Buffer.from('garbage')]), 'gzip');
    case 'claims_gzip':
      return is(content, 'gzip');
    case 'hides_gzip':
      return is(gzip, null);
    case 'bomb':
      return is(Buffer.concat([gzip, bomb()]), 'gzip');
    default:
      return is(content, null);
  }
}

let made: Buffer | undefined;

/** A gzip member of a few hundred kilobytes that holds twice the limit of line ends. */
function bomb(): Buffer {
  made ??= gzipSync(Buffer.alloc(BODY_LIMIT * 2, '\n'));
  return made;
}
