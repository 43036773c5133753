import { CrawlhouseError } from '../errors/errors.ts';
import { counted, countText } from '../text/amounts.ts';
import { cellXml, columnLetters, MOST_TEXT, type SheetCell, STYLES } from './cell.ts';
import { SheetNames } from './sheet-names.ts';
import { sheetBegin, sheetEnd, type WrittenSheet, workbookParts } from './workbook-parts.ts';
import { type WriteBytes, type ZipFile, ZipWriter } from './zip-writer.ts';

/** Rows of a sheet, with its head. */
const MOST_ROWS = 1_048_576;
const MOST_COLUMNS = 16_384;
/** Characters of XML that are compressed together. */
const PIECE = 65_536;
/** Rows that decide the widths of the columns. */
const SAMPLE = 200;
const WIDTHS = { least: 8, most: 60 };

/** Writes an XLSX workbook sheet by sheet. Keeps only the rows in memory that are being compressed. */
export class WorkbookWriter {
  readonly #zip: ZipWriter;
  readonly #names = new SheetNames();
  readonly #sheets: WrittenSheet[] = [];
  readonly #mostRows: number;
  #cut = 0;
  readonly #more: string[] = [];

  /** @param mostRows the rows of a sheet; fewer only in tests */
  constructor(write: WriteBytes, mostRows = MOST_ROWS) {
    this.#zip = new ZipWriter(write);
    this.#mostRows = mostRows;
  }

  /**
   * Begins a sheet. The next one may begin after its `end`.
   *
   * @param name changed where spreadsheets do not accept it
   * @throws CrawlhouseError `usage` for more columns than a sheet can have
   */
  begin(name: string, columns: readonly string[]): Sheet {
    if (columns.length > MOST_COLUMNS)
      throw new CrawlhouseError('usage', `a sheet can have at most ${countText(MOST_COLUMNS)} columns`, {
        hint: 'select fewer columns, or use CSV or Parquet',
      });
    return new Sheet({ name: this.#names.take(name), columns, mostRows: this.#mostRows }, this.#parts);
  }

  /**
   * Writes the rest of the workbook. The `Notes` sheet also contains the sentences about rows on further sheets and
   * about cut texts.
   *
   * @returns these sentences
   */
  async end(): Promise<readonly string[]> {
    const cut = `${counted(this.#cut, 'text')} cut after ${countText(MOST_TEXT)} characters, the most of a cell`;
    const notes = [...this.#more, ...(this.#cut === 0 ? [] : [cut])];
    if (notes.length > 0) {
      const sheet = this.begin('Notes', ['Note']);
      await sheet.add(notes.map((note) => [note]));
      await sheet.end();
    }
    for (const [path, text] of workbookParts(this.#sheets)) {
      const part = await this.#zip.begin(path);
      await part.write(text);
      await part.end();
    }
    await this.#zip.end();
    return notes;
  }

  readonly #parts: SheetParts = {
    begin: () => this.#zip.begin(`xl/worksheets/sheet${this.#sheets.length + 1}.xml`),
    isFirst: () => this.#sheets.length === 0,
    ended: (sheet) => this.#sheets.push(sheet),
    more: (name) => {
      const next = this.#names.take(name);
      this.#more.push(`the rows after ${countText(this.#mostRows - 1)} are on the sheet ${next}`);
      return next;
    },
    cut: () => {
      this.#cut += 1;
    },
  };
}

/** What a sheet needs of its workbook. */
interface SheetParts {
  readonly begin: () => Promise<ZipFile>;
  readonly isFirst: () => boolean;
  readonly ended: (sheet: WrittenSheet) => void;
  /** Takes the name of the next sheet for further rows. */
  readonly more: (name: string) => string;
  readonly cut: () => void;
}

interface SheetOptions {
  readonly name: string;
  readonly columns: readonly string[];
  readonly mostRows: number;
}

/** A sheet with a bold, frozen head and a filter. Rows beyond the limit continue on further sheets. */
export class Sheet {
  readonly #options: SheetOptions;
  readonly #parts: SheetParts;
  readonly #letters: readonly string[];
  #name: string;
  #file: ZipFile | null = null;
  #widths: readonly number[] | null = null;
  #rows = 0;
  #text = '';

  constructor(options: SheetOptions, parts: SheetParts) {
    this.#options = options;
    this.#parts = parts;
    this.#name = options.name;
    this.#letters = options.columns.map((_, index) => columnLetters(index));
  }

  /** Adds a row. The first rows determine the widths of the columns. */
  async add(rows: readonly (readonly SheetCell[])[]): Promise<void> {
    if (rows.length > 0) this.#widths ??= widthsOf([this.#options.columns, ...rows.slice(0, SAMPLE)]);
    for (const row of rows) {
      if (this.#rows === this.#options.mostRows) {
        await this.#close();
        this.#name = this.#parts.more(this.#options.name);
      }
      if (this.#file === null) await this.#open();
      this.#write(row);
      if (this.#text.length >= PIECE) await this.#flush();
    }
  }

  async end(): Promise<void> {
    if (this.#file === null) await this.#open();
    await this.#close();
  }

  async #open(): Promise<void> {
    const { columns } = this.#options;
    this.#file = await this.#parts.begin();
    this.#rows = 0;
    this.#text = sheetBegin(this.#widths ?? widthsOf([columns]), this.#parts.isFirst());
    this.#write(columns, STYLES.head);
  }

  async #close(): Promise<void> {
    const last = this.#letters.at(-1) ?? 'A';
    const filtered = `$A$1:$${last}$${this.#rows}`;
    this.#text += sheetEnd(filtered);
    await this.#flush();
    await this.#file?.end();
    this.#file = null;
    this.#parts.ended({ name: this.#name, filtered });
  }

  #write(row: readonly SheetCell[], style?: number): void {
    this.#rows += 1;
    let cells = '';
    for (const [index, value] of row.entries()) {
      if (typeof value === 'string' && value.length > MOST_TEXT) this.#parts.cut();
      cells += cellXml(`${this.#letters[index]}${this.#rows}`, value, style);
    }
    this.#text += `<row r="${this.#rows}">${cells}</row>`;
  }

  async #flush(): Promise<void> {
    const text = this.#text;
    this.#text = '';
    await this.#file?.write(text);
  }
}

function widthsOf(rows: readonly (readonly SheetCell[])[]): number[] {
  const [columns = []] = rows;
  return columns.map((_, index) => {
    const longest = Math.max(...rows.map((row) => lengthOf(row[index] ?? null)));
    // The button of the filter takes some room.
    return Math.min(WIDTHS.most, Math.max(WIDTHS.least, longest + 3));
  });
}

function lengthOf(value: SheetCell): number {
  if (value === null) return 0;
  if (typeof value === 'object') return value.isDay ? 10 : 19;
  return String(value).length;
}
