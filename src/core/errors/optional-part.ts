import { CrawlhouseError } from './errors.ts';

/**
 * Returns the specifier of a module whose folder an installation may lack. The compiler ignores imports without a
 * literal specifier, so everything else builds without the folder.
 */
export function optional(specifier: string): string {
  return specifier;
}

/**
 * Loads such a module.
 *
 * @param name of the part, for people
 * @throws CrawlhouseError `bad_settings` if the installation lacks it
 */
export async function optionalPart<T>(name: string, loading: Promise<T>): Promise<T> {
  try {
    return await loading;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw cause;
    throw new CrawlhouseError('bad_settings', `this installation lacks ${name}`, {
      cause,
      hint: 'install the whole package, or change the setting',
    });
  }
}
