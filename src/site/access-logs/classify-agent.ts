import { isbot } from 'isbot';
import type { Bot, BotList } from './bots/bot-list.ts';

const MOBILE = /mobile|android|iphone|ipod|opera mini|windows phone/i;
/**
 * A phone's model name, as in `(Linux; Android 9; CUBOT X19 Build/PPR1)`, which may contain the words of bots or programs.
 */
const MODEL =
  /(\((?:Linux|X11)?[^()]*Android[^;()]*);(?![^()]*(?:compatible|https?:|\+|google|bot\/|spider))[^()]*(?=\))/i;
/** Older phones, whose agents do not look like a browser, and browsers in apps. */
const PHONE = /Profile\/|MIDP|CLDC|webOS\/|Bada|BREW\/|UCBrowser|SogouMSE/;
const SAYS_BOT = /compatible|https?:|bot\b|crawl|spider/i;
/** Words that name a program. */
const NAME =
  /bot\b|bot[/;_-]|crawl|spider|slurp|scrap|fetch|monitor|preview|validator|checker|curl|wget|python|java\/|okhttp|go-http|libwww|httpclient|http-client|axios|node-fetch|undici|ruby|perl|php\/|headless|phantomjs|lighthouse|grab|inspect|guzzle|proxy|scan/i;
const NO_AGENT = '(no user agent)';
const NO_NAME = '(no name)';
/** URLs, mail addresses and host names. */
const ADDRESS = /\+?(?:https?:\/\/|www\.)[^\s;,()]*|[\w.+-]+(?:@|\(at\)|\[at\])[\w.-]+/gi;
/** Words that programs use to look like a browser. */
const BROWSER =
  /^(?:Mozilla|AppleWebKit|KHTML|like Gecko|Gecko|Chrome|Chromium|CriOS|FxiOS|Safari|Firefox|Version|Mobile|Edge?|EdgA|EdgiOS|OPR|Opera|Presto|MSIE.*|Trident.*|Windows.*|Linux.*|Android.*|Macintosh|X11|iPhone.*|iPad.*|CPU .*|U|compatible|rv:.*|bot|robot|crawler|spider|[a-z]{2}(?:[-_][a-z]{2})?)$/i;
/** Google's name on a television, and pages of WeChat, in user agents of people. */
const OF_PEOPLE = /\bGoogle ?TV\b|https?:\/\/(?:servicewechat|weixin|wx)\.\S*/gi;

/**
 * Returns what a user agent reveals about the visitor, in the fields of log events. Browsers always send a user agent,
 * so a request without one is from a bot.
 */
export function classifyAgent(userAgent: string, list: BotList) {
  const known = list.recognise(userAgent) ?? null;
  const isBot = known !== null || userAgent === '' || isProgram(userAgent);
  const isGoogle = known?.engine === 'google';
  const unknown = userAgent === '' ? NO_AGENT : isBot ? programName(userAgent) : null;
  return {
    device: MOBILE.test(userAgent) ? ('mobile' as const) : ('desktop' as const),
    is_bot: isBot,
    bot: known?.crawler ?? unknown,
    bot_kind: isGoogle ? kindOf(known) : null,
    search_engine: isGoogle ? ('google' as const) : null,
    /** The bot of the list, which can be verified. */
    known,
  };
}

/** Returns whether a user agent is not a browser, by a maintained list (docs/decisions/libraries.md). */
export function isProgram(userAgent: string): boolean {
  if (!isbot(userAgent.replace(MODEL, '$1').replaceAll(OF_PEOPLE, ''))) return false;
  return !PHONE.test(userAgent) || SAYS_BOT.test(userAgent);
}

/** Returns the kinds of the metadata (api-spec.md §2.16), as far as the list has them. */
function kindOf({ bot_class, purpose }: Bot): 'seo' | 'sea' | 'vertical' | null {
  if (bot_class === 'ads') return 'sea';
  if (bot_class !== 'search') return null;
  return purpose === 'pages' ? 'seo' : 'vertical';
}

/**
 * Returns the product after `compatible;`, such as `ExampleBot` of `Mozilla/5.0 (compatible; ExampleBot/1.0;
 * +https://a.example/bot)`, else the first product that is not a browser; never a word of a URL.
 */
function programName(userAgent: string): string {
  const text = userAgent.replaceAll(ADDRESS, ' ');
  const [, compatible = ''] = /compatible[;,]([^()]*)/i.exec(text) ?? [];
  const outside = text.replaceAll(/\([^()]*\)/g, ';').split(/;|(?<=\/[^\s;]*)\s+/);
  const comments = [...text.matchAll(/\(([^()]*)\)/g)].flatMap(([, comment = '']) => comment.split(/[;,]/));
  const words = comments.flatMap((comment) => comment.split(/\s+/));
  const named = [...compatible.split(/[;,]/), ...outside, ...words.filter((word) => NAME.test(word))];
  const names = named
    .map(productName)
    .filter(
      (one) => one !== '' && !(BROWSER.test(one) || one.split(' ').every((word) => BROWSER.test(word))),
    );
  return (names[0] ?? NO_NAME).slice(0, 80);
}

/** Returns a product without its version. */
function productName(text: string): string {
  return text
    .trim()
    .replace(/^(?:via|by|the|and|\+)\s+/i, '')
    .replace(/(?:[/(]|\s+v?(?=\d)).*$/i, '')
    .trim();
}
