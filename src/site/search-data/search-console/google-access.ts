import { GoogleAuth } from 'google-auth-library';
import { CrawlhouseError } from '../../../core/errors/errors.ts';

/** The permission to read search data only. */
const SCOPE = 'https://www.googleapis.com/auth/webmasters.readonly';

/** Returns the headers that authorize a request. */
export type AccessHeaders = (url: string) => Promise<Readonly<Record<string, string>>>;

/**
 * Returns Google's default credentials: from `GOOGLE_APPLICATION_CREDENTIALS`, gcloud, or the machine.
 *
 * @throws CrawlhouseError `unauthorized`, by the returned function, if there are none or they are refused
 */
export function googleAccess(): AccessHeaders {
  const auth = new GoogleAuth({ scopes: [SCOPE] });
  return async (url) => {
    try {
      return { ...(await auth.getRequestHeaders(url)) };
    } catch (cause) {
      const why = cause instanceof Error ? cause.message.split('\n')[0] : String(cause);
      throw new CrawlhouseError('unauthorized', `Google denies access: ${why}`, {
        cause,
        hint: 'set GOOGLE_APPLICATION_CREDENTIALS in .env to the key file of a service account that can read the property',
      });
    }
  };
}
