import { crc32, inflateRawSync } from 'node:zlib';
import { SaxesParser } from 'saxes';

type ReadCell = string | number | boolean | null;

export interface ReadSheet {
  readonly name: string;
  /** With the head. A missing cell is null. */
  readonly rows: readonly (readonly ReadCell[])[];
}

/** The files of a ZIP archive, found by its list; each has its size and checksum. */
export function unzip(bytes: Buffer): ReadonlyMap<string, string> {
  const end = bytes.lastIndexOf(Buffer.from('PK\x05\x06', 'latin1'));
  const files = new Map<string, string>();
  let at = bytes.readUInt32LE(end + 16);
  for (let left = bytes.readUInt16LE(end + 10); left > 0; left--) {
    const [crc, packed, size] = [16, 20, 24].map((one) => bytes.readUInt32LE(at + one));
    const name = bytes.toString('utf8', at + 46, at + 46 + bytes.readUInt16LE(at + 28));
    const local = bytes.readUInt32LE(at + 42);
    const begin = local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28);
    const data = inflateRawSync(bytes.subarray(begin, begin + Number(packed)));
    if (data.length !== size || crc32(data) !== crc) throw new Error(`${name} is damaged`);
    files.set(name, data.toString());
    at += 46 + name.length + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
  }
  return files;
}

/** The sheets of a workbook that our writer made, in their order. Dates are their numbers. */
export function readXlsx(bytes: Buffer): readonly ReadSheet[] {
  const files = unzip(bytes);
  const names: string[] = [];
  parse(files.get('xl/workbook.xml') ?? '', (tag, attributes) => {
    if (tag === 'sheet') names.push(attributes.name ?? '');
  });
  return names.map((name, index) => ({
    name,
    rows: rowsOf(files.get(`xl/worksheets/sheet${index + 1}.xml`) ?? ''),
  }));
}

function rowsOf(xml: string): ReadCell[][] {
  const rows: ReadCell[][] = [];
  let [column, type, text] = [0, '', ''];
  parse(
    xml,
    (tag, attributes) => {
      if (tag === 'row') rows[Number(attributes.r) - 1] = [];
      if (tag !== 'c') return;
      [type, text] = [attributes.t ?? '', ''];
      const letters = (attributes.r ?? '').replace(/\d+$/, '');
      column = [...letters].reduce((sum, one) => sum * 26 + one.charCodeAt(0) - 64, 0) - 1;
    },
    (tag) => {
      if (tag !== 'c') return;
      const row = rows.at(-1) ?? [];
      while (row.length < column) row.push(null);
      row[column] = type === 'inlineStr' ? unescaped(text) : type === 'b' ? text === '1' : Number(text);
    },
    (piece) => {
      text += piece;
    },
  );
  return rows;
}

/** `_x0041_` is `A` in a spreadsheet. */
function unescaped(text: string): string {
  return text.replaceAll(/_x([0-9A-Fa-f]{4})_/g, (_, code) => String.fromCharCode(Number.parseInt(code, 16)));
}

function parse(
  xml: string,
  open: (tag: string, attributes: Readonly<Record<string, string>>) => void,
  close: (tag: string) => void = () => {},
  take: (text: string) => void = () => {},
): void {
  const parser = new SaxesParser();
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', ({ name, attributes }) => open(name, attributes as Record<string, string>));
  parser.on('closetag', ({ name }) => close(name));
  parser.on('text', take);
  parser.write(xml).close();
}
