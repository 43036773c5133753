import { CrawlhouseError } from '../../../core/errors/errors.ts';

/** A table that can be read in several ways, and the flag that decides. */
export class OpenChoice extends CrawlhouseError {
  readonly flag: string;
  readonly values: readonly string[];

  constructor(
    message: string,
    {
      flag,
      values,
      hint,
    }: { readonly flag: string; readonly values: readonly string[]; readonly hint: string },
  ) {
    super('usage', message, { hint });
    this.flag = flag;
    this.values = values;
  }
}
