import { GoogleAuth } from 'google-auth-library';
import { CrawlhouseError } from '../../../../core/errors/errors.ts';

/** The right to read search data and nothing else. */
const SCOPE = 'https://www.googleapis.com/auth/webmasters.readonly';

/** Gives the headers that let a request in. */
export type AccessHeaders = (url: string) => Promise<Readonly<Record<string, string>>>;

/**
 * Credentials of Google's standard chain: `GOOGLE_APPLICATION_CREDENTIALS`, those of gcloud, those of the machine.
 *
 * @throws CrawlhouseError `unauthorized`, of the function, where there are none or they are refused
 */
export function googleAccess(): AccessHeaders {
  const auth = new GoogleAuth({ scopes: [SCOPE] });
  return async (url) => {
    try {
      return { ...(await auth.getRequestHeaders(url)) };
    } catch (cause) {
      const why = cause instanceof Error ? cause.message.split('\n')[0] : String(cause);
      throw new CrawlhouseError('unauthorized', `Google gives no access: ${why}`, {
        cause,
        hint: 'set GOOGLE_APPLICATION_CREDENTIALS in .env to the key file of a service account that may read the property',
      });
    }
  };
}
