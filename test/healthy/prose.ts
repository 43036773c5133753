/** Sentences of one language that are the same for the same random numbers. */
export interface Prose {
  sentence(): string;
  paragraph(sentences?: number): string;
  /** A name of a thing, without a mark behind it. */
  title(): string;
}

interface Language {
  readonly nouns: string;
  readonly qualities: string;
  readonly verbs: string;
  readonly frames: readonly string[];
  readonly titles: readonly string[];
}

/** `N` is a noun, `Q` a quality and `V` a verb. */
const LANGUAGES: Readonly<Record<string, Language>> = {
  en: {
    nouns:
      'garden river recipe engine museum valley bridge window orchard harbor kettle lantern meadow notebook oven pattern quarry railway saddle timber umbrella village workshop archive balcony candle desert estuary forest glacier hinge island jacket kitchen ladder market nursery ocean pavement quilt roof shelter tunnel veranda wagon yard bakery cellar drawer fabric',
    qualities:
      'quiet narrow early heavy wooden bright coastal modern ancient careful distant even fertile gentle hollow humid iron level mild northern open patient rough seasonal tidy urban vivid warm wide young',
    verbs:
      'holds follows changes carries shows keeps opens replaces reaches supports measures covers feeds joins lifts marks needs protects repairs shapes turns warms',
    frames: [
      'The Q N V every N that we visited',
      'A N V the Q N, and the Q N V it',
      'Nobody expected that the N V a Q N so soon',
      'After the N, the Q N V the N',
      'In most years the N V the N of the Q N',
      'Each Q N V what the N once was',
    ],
    titles: ['The Q N and the N', 'How a Q N V the N', 'N and N of the Q N', 'Why the Q N V a N'],
  },
  de: {
    nouns:
      'Garten Fluss Ofen Motor Balkon Brunnen Bogen Dachstuhl Eimer Faden Giebel Hafen Keller Laden Markt Nagel Pfad Riegel Sockel Turm Wagen Zaun Boden Kessel Spiegel Schrank Tisch Sessel Hof Anbau',
    qualities:
      'alte breite dunkle enge feine grüne hohe junge kühle lange milde neue offene ruhige schöne stille tiefe warme weiße zarte',
    verbs:
      'trägt hält zeigt prägt deckt stützt öffnet schließt wärmt schützt führt kennt braucht ergänzt verändert',
    frames: [
      'Der Q N V den N, wie er es seit Jahren tut',
      'Jeder N V einen N, sobald der Q N fertig ist',
      'Für Sie V der Q N auch den N und den N',
      'Unser Q N V den N in wenigen Tagen',
    ],
    titles: ['Der Q N und der N', 'N, N und Q N', 'Wie ein N den N V'],
  },
  zh: {
    nouns:
      '城市 河流 花园 博物馆 市场 桥梁 车站 学校 图书馆 森林 海岸 山谷 厨房 工厂 村庄 节日 地图 诗歌 茶叶 丝绸 瓷器 果园 码头 剧院 历史 技术 天气 旅行 食谱 音乐',
    qualities: '安静的 古老的 现代的 明亮的 遥远的 温暖的 繁忙的 宽阔的 年轻的 美丽的 传统的 重要的',
    verbs: '改变 保护 连接 展示 影响 记录 支持 需要 超过 重建 欢迎 介绍',
    frames: [
      'QN正在V这里的N',
      '在QN附近，人们V了N',
      '许多QN每年V新的N',
      '我们发现，N和N一起VQN',
      '因此QN也VN与N',
    ],
    titles: ['QN与N的故事', '为什么N会VN', 'QN如何VN', 'N、N和QN'],
  },
  ja: {
    nouns:
      '庭園 博物館 市場 鉄道 図書館 森林 海岸 台所 工場 村 祭り 地図 俳句 お茶 着物 陶器 果樹園 港 劇場 歴史 技術 天気 旅行 レシピ 音楽 カメラ ノート ランプ',
    qualities: '静かな 古い 新しい 明るい 遠い 暖かい 広い 若い 美しい 便利な 大切な 小さな',
    verbs: 'を変える を守る をつなぐ を見せる を記録する を支える を必要とする を紹介する を育てる',
    frames: ['QNは毎年Nを訪れる人のためにNV', 'この町ではQNがNV', 'QNとNが一緒にNV', 'しかしNはまだQNのNV'],
    titles: ['QNとNのはなし', 'なぜNはNVのか', 'QNがNV理由'],
  },
  ko: {
    nouns:
      '정원 강 박물관 시장 다리 기차역 학교 도서관 숲 해안 골짜기 부엌 공장 마을 축제 지도 시 차 비단 도자기 과수원 항구 극장 역사 기술 날씨 여행 음악',
    qualities: '조용한 오래된 현대적인 밝은 먼 따뜻한 바쁜 넓은 젊은 아름다운 중요한 작은',
    verbs: '바꾼다 지킨다 잇는다 보여준다 기록한다 돕는다 넘어선다 소개한다 키운다',
    frames: [
      'Q N 옆에서 사람들은 N 이야기를 V',
      '해마다 Q N 모두가 새로운 N 하나를 V',
      '우리 N 역시 Q N 전부를 V',
    ],
    titles: ['Q N 그리고 N 이야기', 'N 옆의 Q N', '왜 N 하나가 N 전부를 V'],
  },
  ar: {
    nouns:
      'المدينة النهر الحديقة المتحف السوق الجسر المحطة المدرسة المكتبة الغابة الساحل الوادي المطبخ المصنع القرية المهرجان الخريطة القصيدة البستان الميناء المسرح التاريخ الطقس الرحلة الموسيقى',
    qualities: 'القديمة الحديثة الهادئة البعيدة الدافئة الواسعة الجميلة المهمة الصغيرة الكبيرة المزدحمة',
    verbs: 'تغير تحمي تربط تعرض تسجل تدعم تحتاج تتجاوز تستقبل تقدم',
    frames: [
      'V N Q كل ما يقع قرب N',
      'في كل عام V N زوار N Q',
      'قال السكان إن N V N و N',
      'بعد N Q، V N ما بقي من N',
    ],
    titles: ['حكاية N Q و N', 'كيف V N هذه N Q', 'لماذا V N Q كل N'],
  },
};

export function proseOf(language: string, random: () => number): Prose {
  const { nouns, qualities, verbs, frames, titles } = LANGUAGES[language] as Language;
  const one = (of: readonly string[]): string => of[Math.floor(random() * of.length)] ?? '';
  const words = { N: nouns.split(' '), Q: qualities.split(' '), V: verbs.split(' ') };
  const fill = (frame: string): string =>
    frame.replaceAll(/[NQV](?![a-z])/g, (kind) => one(words[kind as keyof typeof words]));
  const mark = language === 'zh' || language === 'ja' ? '。' : '. ';
  const capital = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);
  const sentence = (): string => capital(fill(one(frames)));
  return {
    sentence,
    paragraph: (sentences = 5) =>
      Array.from({ length: sentences }, () => sentence() + mark)
        .join('')
        .trim(),
    title: () => capital(fill(one(titles))),
  };
}

/** Titles that differ, each with the last part of its URL. */
export function titlesOf(prose: Prose, count: number): { readonly title: string; readonly slug: string }[] {
  const titles = new Set<string>();
  while (titles.size < count) titles.add(prose.title());
  return [...titles].map((title, index) => {
    const slug = title.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '-');
    return { title, slug: slug.replace(/-$/, '') || `page-${index}` };
  });
}

export function paragraphs(prose: Prose, count: number, sentences = 5): string {
  return Array.from({ length: count }, () => `<p>${prose.paragraph(sentences)}</p>`).join('\n');
}
