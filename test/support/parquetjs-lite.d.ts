/** As much of parquetjs-lite as the tests use; it brings no types. */
declare module 'parquetjs-lite' {
  export class ParquetSchema {
    constructor(fields: Readonly<Record<string, unknown>>);
  }
  export class ParquetWriter {
    static openFile(schema: ParquetSchema, path: string): Promise<ParquetWriter>;
    appendRow(row: Readonly<Record<string, unknown>>): Promise<void>;
    close(): Promise<void>;
  }
  export class ParquetReader {
    static openFile(path: string): Promise<ParquetReader>;
    getCursor(): { next(): Promise<Record<string, unknown> | null> };
    close(): Promise<void>;
  }
}
