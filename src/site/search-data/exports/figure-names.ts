import { folded } from '../device-name.ts';

/** The four figures of search results. */
export type SearchFigure = 'clicks' | 'impressions' | 'ctr' | 'position';

/**
 * Names of the figures in Search Console and Bing Webmaster Tools, in the languages with known exports, and in scripts
 * and Looker Studio.
 */
const NAMES: Readonly<Record<SearchFigure, string>> = {
  clicks:
    'clicks|url clicks|total clicks|klicks|klick|clics|clic|clics web|cliques|kliks|klikken|aantal klikken|kliknięcia|kliknutí|kliknutia|' +
    'prokliky|klik|klikk|antal klik|klikkaukset|napsautukset|kattintások|kattintás|clicuri|κλικ|клики|kлики|кліки|kліки|' +
    'кликове|кликвания|кликови|klikovi|kliki|clicks web|tıklamalar|tıklama|クリック数|クリック|合計クリック数|클릭수|클릭 수|총 클릭수|' +
    '点击次数|点击|总点击次数|點擊|點擊次數|點按次數|lượt nhấp|số lần nhấp|số lượt nhấp|lần nhấp|การคลิก|จำนวนคลิก|คลิก|क्लिक|क्लिक की संख्या|' +
    'النقرات|عدد النقرات|نقرات|קליקים|הקלקות|paspaudimai|klikšķi|klõpsud|klikid|klikovi ukupno|कुल क्लिक',
  impressions:
    'impressions|url impressions|total impressions|impressionen|impresiones|impressioni|impressões|vertoningen|' +
    'wyświetlenia|zobrazení|zobrazenia|visningar|exponeringar|eksponeringer|visninger|näyttökerrat|näytöt|megjelenítések|' +
    'megjelenések|afișări|afişări|εμφανίσεις|показы|покази|импресии|прегледи|прикази|dojmovi|pojavljivanja|prikazivanja|' +
    'prikazi|impresije|impresii|gösterimler|gösterim|tayangan|impresi|表示回数|合計表示回数|노출|노출수|노출 수|총 노출수|' +
    '展示|展示次数|曝光次数|总曝光次数|曝光|曝光數|曝光次數|lượt hiển thị|số lần hiển thị|số lượt hiển thị|การแสดงผล|จำนวนการแสดงผล|' +
    'इंप्रेशन|इंप्रेशन की संख्या|مرات الظهور|عدد مرات الظهور|חשיפות|הופעות|parodymai|rodymai|seansi|rādīšanas reizes|näitamised|' +
    'näitamiskorrad|impresszió|impressziók',
  ctr:
    'ctr|url ctr|site ctr|ctr %|ctr (%)|to|tasa de clics|taux de clics|klickrate|klickfrekvens|percentuale di clic|taxa de cliques|' +
    'clickthrough rate|click-through rate|współczynnik klikalności|míra prokliku|クリック率|클릭률|클릭율|点击率|點閱率|點擊率|' +
    'tỷ lệ nhấp|tıklama oranı|coeficient ctr|rkt|ctr-arvo|klikkiprosentti|अनुपात|شرح النقر|نسبة النقر إلى الظهور|שיעור קליקים',
  position:
    'position|avg_position|posición|posicion|posição|posizione|positie|pozycja|pozice|pozícia|posisjon|placering|placeringen|' +
    'sijainti|sijoitus|pozíció|helyezés|helyezés szerint|poziția|poziție|θέση|позиция|позиція|място|позиција|pozicija|položaj|' +
    'posició|konum|pozisyon|sıra|posisi|peringkat|掲載順位|平均掲載順位|게재 순위|게재순위|평균 게재순위|평균 게재 순위|순위|排名|平均排名|' +
    'การจัดอันดับ|อันดับ|ตำแหน่ง|vị trí|thứ hạng|रैंक|स्थान|स्थिति|क्रम|الموضع|الترتيب|מיקום|דירוג|pozīcija|koht|positsioon|順位|排序|平均排序',
};
/** Words for an average before or after the name of a figure. */
const AVERAGE =
  /^(?:avg\.?|average|mean|ortalama|durchschnittliche[rs]?|mittlere|genomsnittlig|gemiddelde|gjennomsnittlig|gennemsnitlig|średnia|průměrná|priemerná|medie|средняя|середня|средна|prosječna|keskimääräinen|átlagos|平均|평균)[ _]?|[ _](?:moyenne?|medi[ao]|média|mitjana|rata-rata|trung bình)$/;

const BY_NAME: ReadonlyMap<string, SearchFigure> = new Map(
  Object.entries(NAMES).flatMap(([figure, names]) =>
    names.split('|').map((name) => [folded(name), figure as SearchFigure] as const),
  ),
);

/** Returns the figure that a column's name means; undefined for an unknown name. */
export function figureNamed(header: string): SearchFigure | undefined {
  const name = bareName(header);
  return BY_NAME.get(name) ?? BY_NAME.get(name.replace(AVERAGE, ''));
}

/**
 * Returns whether two columns contain one figure for different periods: `Last 28 days Clicks`, `Previous 28 days
 * Clicks`.
 */
export function comparesPeriods(header: readonly string[]): boolean {
  const found = header.slice(1).flatMap((one) => {
    const words = bareName(one).split(' ');
    const ends = words.flatMap((_, at) =>
      at === 0 ? [] : [words.slice(at).join(' '), words.slice(0, at).join(' ')],
    );
    return ends.flatMap((text) => BY_NAME.get(text) ?? []).slice(0, 1);
  });
  return new Set(found).size < found.length;
}

/** Columns of other reports that also have a day or a page and whole numbers. */
const OTHERS: readonly (readonly [report: string, names: RegExp])[] = [
  [
    'Core Web Vitals',
    /^(?:poor|needs? improvement|good|poor urls?|good urls?|urls? need(?:ing)? improvement|lcp|inp|cls|fid|fcp|ttfb)(?: \(.*\))?$/,
  ],
  [
    'page indexing (coverage)',
    /^(?:not indexed|indexed|last crawled|valid with warnings?|excluded|crawled pages|indexed pages)$/,
  ],
  [
    'rich results or merchant listings',
    /^(?:(?:in)?valid(?: items?)?|items? with (?:errors|warnings)|items?|errors?|warnings?)$/,
  ],
  [
    'crawl statistics',
    /^(?:total )?(?:crawl requests?|download size)(?: \(bytes\))?$|^average response time(?: \(ms\))?$/,
  ],
  [
    'links',
    /^(?:incoming links?|linking (?:sites?|pages?)|backlinks?|referring domains?|external links|internal links)$/,
  ],
  [
    'an advertising account',
    /^(?:coste?s?|costo|coût|kosten|custo|kosztu?|maliyet|стоимость|расход(?:ы)?|витрати|費用|コスト|비용|费用|kostnad(?:er)?|omkostning(?:er)?|náklady|költség|cena|κόστος|עלות|التكلفة|chi phí|biaya|ค่าใช้จ่าย|konversionen|conversiones|conversões|conversioni|konwersje|dönüşümler|конверсии|конверсії|コンバージョン(?:数)?|전환(?:수)?|转化(?:次数)?|轉換)(?: \(.*\))?$/,
  ],
  [
    'Google Analytics',
    /^(?:(?:aktive |neue )?nutzer|utilisateurs(?: actifs)?|usuarios(?: activos)?|utenti(?: attivi)?|usuários(?: ativos)?|gebruikers|użytkownicy|kullanıcılar|пользователи|ユーザー(?:数)?|사용자|用户(?:数)?|使用者|sitzungen|sesiones|sessioni|sessões|sessies|sesje|oturumlar|сеансы|セッション(?:数)?|세션(?:수)?|会话数?|工作階段)$/,
  ],
  [
    'Google Analytics',
    /^(?:(?:active |new |total |returning )?users?|(?:engaged )?sessions?|sessions? \/ .*|engagement rate|average engagement time.*|event count|key events?|bounce rate|views|screen views|event value)$/,
  ],
  [
    'an advertising account',
    /^(?:cost|spend|(?:total|amount) spent|cpc|cpm|cpa|roas|impr\.?|(?:avg\.? |average )?(?:cost|cpc|cpm)|cost ?\/ ?conv.*|conv(?:ersions?|\. value|\. rate)?|campaigns?(?: name| id)?|ad ?(?:group|set)(?: name| id)?|ad name|quality score)(?: \(.*\))?$/,
  ],
  [
    'web statistics',
    /^(?:(?:unique[ _]?)?visit(?:or)?s|(?:unique )?page ?views|bounce[ _]rate|visit[ _]duration|views[ _]per[ _]visit|scroll[ _]depth|nb_(?:visits|actions|hits|uniq_visitors)|hits)$/,
  ],
  [
    'Cloudflare or a CDN',
    /^(?:(?:cached |total )?requests|(?:cached |total |saved )?bandwidth|(?:cached )?bytes|threats|cache hit (?:rate|ratio)|data served|data cached)$/,
  ],
  [
    'AI citations',
    /^(?:citations?|cited pages?|citation share|ai citations?|mentions|grounding quer(?:y|ies)|share of voice)$/,
  ],
  [
    'Yandex Webmaster',
    /^(?:avg_(?:show|click)_position|total_(?:shows|clicks)|.+_shows|demand|shows|avg\.? (?:impression|show|click) position|спрос|ср(?:\.|едняя) позиция (?:показа|клика)|позиция показа|позиция клика|показы ?, .*|ctr ?, ?%)$/,
  ],
  [
    'a keyword tool',
    /^(?:(?:search )?volume|keyword difficulty|kd|difficulty|traffic(?: \(.*\)| %)?|search intent|competition|serp features.*)$/,
  ],
  [
    'a video or social network',
    /^(?:watch time.*|impressions click-through rate.*|likes|shares|saves|followers|reach|engagements?|subscribers|reactions|comments)$/,
  ],
  [
    'an advertising seller',
    /^(?:(?:page |impression )?rpm|(?:estimated )?earnings|ad requests|revenue|viewability|fill rate)(?: \(.*\))?$/,
  ],
  ['a mailing', /^(?:opens|open rate|sent|delivered|unsubscribes?|bounces)$/],
];

/** Returns a column of another report, and which report that is; undefined if no name reveals it. */
export function otherReport(
  header: readonly string[],
): { readonly column: string; readonly report: string } | undefined {
  for (const column of header) {
    const name = bareName(column);
    const [report] = OTHERS.find(([, names]) => names.test(name)) ?? [];
    if (report !== undefined) return { column, report };
  }
  return undefined;
}

export function otherText({ column, report }: { readonly column: string; readonly report: string }): string {
  return `it is a table of ${report}, according to its column ${JSON.stringify(column)}`;
}

function bareName(header: string): string {
  return folded(header)
    .replace(/[\u200e\u200f\u061c\ufeff]/g, '')
    .replace(/\s+/g, ' ');
}
