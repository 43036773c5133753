/**
 * Names of the search type and of the days in the table of filters, in the languages of Search Console, and the values
 * of the search type that mean the web. Collected from exports and from the page's own words.
 */
const SEARCH_TYPE =
  /search type|suchtyp|type de recherche|tipo de (?:búsqueda|pesquisa|cerca)|tipo di ricerca|zoektype|typ wyszukiwania|тип (?:поиска|пошуку)|検索タイプ|搜索类型|搜尋類型|검색 유형|arama türü|s[öø]ketyp|søgetype|haun tyyppi|hakutyyppi|typ vyhledávání|keresés(?:i)? típus|tip(?:ul)? (?:de )?căut|jenis penelusuran|loại tìm kiếm|ประเภทการค้นหา|نوع البحث|סוג חיפוש/i;
const DATE =
  /^(?:date|dates|datum|datas?|fechas?|dato|datoer|дата|даты|tarih|päivämäärä|dátum|dată|tanggal|ngày|日付|日期|날짜|วันที่|التاريخ|תאריך)$/i;
const WEB =
  /^(?:web|веб|веб-поиск|интернет|ウェブ|网页|網頁|网络|網路|웹|เว็บ|الويب|ويب|אינטרנט|sieć|internet|verkko)$/i;

export function isDateName(text: string): boolean {
  return DATE.test(text.trim());
}

/** What a table of filters says that keeps its export from being the whole of web search; empty where it is whole. */
export function narrowingFilters(filters: readonly (readonly string[])[]): string[] {
  return filters.flatMap(([name = '', value = '']) => {
    const [what, which] = [name.trim(), value.trim()];
    if (what === '' && which === '') return [];
    if (isDateName(what) || (SEARCH_TYPE.test(what) && WEB.test(which))) return [];
    return [`${what}: ${which}`];
  });
}
