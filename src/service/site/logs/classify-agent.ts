import { isbot } from 'isbot';
import type { Bot, BotList } from './bots/bot-list.ts';

const MOBILE = /mobile|android|iphone|ipod|opera mini|windows phone/i;
/** The name of a phone's model, as in `(Linux; Android 9; CUBOT X19 Build/PPR1)`: makers call phones robots and rubies. */
const MODEL =
  /(\((?:Linux|X11)?[^()]*Android[^;()]*);(?![^()]*(?:compatible|https?:|\+|google|bot\/|spider))[^()]*(?=\))/i;
/** Phones of before, whose agents look like none of a browser, and browsers in apps. */
const PHONE = /Profile\/|MIDP|CLDC|webOS\/|Bada|BREW\/|UCBrowser|SogouMSE/;
const SAYS_BOT = /compatible|https?:|bot\b|crawl|spider/i;
/** Words by which a program is named. */
const NAME =
  /bot\b|bot[/;_-]|crawl|spider|slurp|scrap|fetch|monitor|preview|validator|checker|curl|wget|python|java\/|okhttp|go-http|libwww|httpclient|http-client|axios|node-fetch|undici|ruby|perl|php\/|headless|phantomjs|lighthouse|grab|inspect|guzzle|proxy|scan/i;
const NO_AGENT = '(no user agent)';

/** What a user agent says of who asked, in the fields of log events. Browsers always send one: without any it is a bot's. */
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

/** Whether an agent is none of a person's browser, by a list that is kept (docs/decisions/libraries.md). */
export function isProgram(userAgent: string): boolean {
  if (!isbot(userAgent.replace(MODEL, '$1'))) return false;
  return !PHONE.test(userAgent) || SAYS_BOT.test(userAgent);
}

/** The kinds of the metadata (api-spec.md §2.16), as far as the list tells them. */
function kindOf({ bot_class, purpose }: Bot): 'seo' | 'sea' | 'vertical' | null {
  if (bot_class === 'ads') return 'sea';
  if (bot_class !== 'search') return null;
  return purpose === 'pages' ? 'seo' : 'vertical';
}

/** The product with such a word, such as `ExampleBot` of `Mozilla/5.0 (compatible; ExampleBot/1.0)`. */
function programName(userAgent: string): string {
  const products = userAgent.match(/[A-Za-z][\w.!-]*(?:[ _-]?[A-Za-z][\w.-]*)?(?=\/|;|\)|$| )/g) ?? [];
  const named = products.find((one) => NAME.test(one));
  return (named ?? userAgent.split(/[/ ;(]/, 1)[0] ?? userAgent).slice(0, 80);
}
