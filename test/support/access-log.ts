import { seededRandom } from './random.ts';

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const BOT = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';
/** Bytes of a piece, about. */
const PIECE = 1 << 20;

export interface AccessLog {
  readonly lines: number;
  /** Days from 1 October 2026 over which the lines are spread. */
  readonly days: number;
  readonly seed?: number;
}

/** An access log in the combined format: few pages and browsers have most of the lines, as on a real site. */
export function* accessLog({ lines, days, seed = 1 }: AccessLog): Generator<string> {
  const random = seededRandom(seed);
  const agents = Array.from(
    { length: 400 },
    (_, n) =>
      `Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${100 + (n % 40)}.0.${n}.0 Safari/537.36`,
  );
  let text = '';
  for (let line = 0; line < lines; line++) {
    const time = new Date(Date.UTC(2026, 9, 1) + Math.floor((line * days * 86_400_000) / lines));
    const page = Math.floor(random() ** 3 * 200_000);
    const agent = random() < 0.1 ? BOT : agents[Math.floor(random() ** 2 * agents.length)];
    const address = agent === BOT ? `66.249.66.${page % 200}` : `203.0.${page % 250}.${line % 250}`;
    const query = random() < 0.1 ? `?utm_source=mail&id=${page}` : '';
    const referer = random() < 0.5 ? '-' : `https://www.example.com/category-${page % 50}/`;
    text += `${address} - - [${clf(time)}] "GET /category-${page % 50}/product-${page}${query} HTTP/1.1" ${random() < 0.95 ? 200 : 404} ${Math.floor(random() * 90_000)} "${referer}" "${agent}"\n`;
    if (text.length >= PIECE) {
      yield text;
      text = '';
    }
  }
  yield text;
}

function clf(time: Date): string {
  const two = (number: number): string => String(number).padStart(2, '0');
  const date = `${two(time.getUTCDate())}/${MONTHS[time.getUTCMonth()]}/${time.getUTCFullYear()}`;
  return `${date}:${time.toISOString().slice(11, 19)} +0000`;
}
