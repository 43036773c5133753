import { request as httpRequest } from 'node:http';
import { text as streamText } from 'node:stream/consumers';

/** A request with headers that `fetch` does not let a program set, such as Host and Sec-Fetch-Mode. */
export async function raw(url: string, method: string, headers: Readonly<Record<string, string>>, body = '') {
  const { promise, resolve, reject } = Promise.withResolvers<{
    status: number;
    text: string;
    headers: object;
  }>();
  const asked = httpRequest(url, { method, headers }, (response) => {
    streamText(response).then(
      (text) => resolve({ status: response.statusCode ?? 0, text, headers: response.headers }),
      reject,
    );
  });
  asked.on('error', reject).end(body);
  return promise;
}
