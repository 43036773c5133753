/** More rows came than the service reports: nothing that follows can make the unit whole. */
export class TooManyRows extends Error {
  /** Rows so far. */
  readonly rows: number;

  constructor(rows: number) {
    super(`${rows} rows came, more than reported`);
    this.rows = rows;
  }
}
