/** Names of the three kinds of devices on Search Console's page, in the known languages. */
const NAMES: Readonly<Record<string, string>> = {
  desktop:
    'desktop|computer|computers|computadora|computador|computadores|ordenador|ordenadores|escritorio|ordinateur|ordinateurs|' +
    'pc|komputer|komputery|počítač|počítače|stolní počítač|számítógép|računalo|računar|рачунар|компютър|компьютер|компьютеры|' +
    "комп'ютер|комп’ютер|ПК|υπολογιστής|υπολογιστές|masaüstü|bilgisayar|パソコン|デスクトップ|컴퓨터|데스크톱|桌面设备|桌面|电脑|桌機|電腦|" +
    'máy tính|máy tính để bàn|เดสก์ท็อป|คอมพิวเตอร์|डेस्कटॉप|कंप्यूटर|سطح المكتب|كمبيوتر|מחשב|מחשבים|dator|datorer|tietokone|arvuti|' +
    'desktop computer|stationär|asztali számítógép|calculator|pulpit',
  mobile:
    'mobile|mobil|móvil|móviles|celular|celulares|telemóvel|dispositivo mobile|dispositivi mobili|dispositivos móveis|' +
    'cellulare|smartphone|handy|mobilgeräte|telefon|telefony|mobiel|mobil cihaz|mobiltelefon|mobilní|komórka|mobilne|' +
    'urządzenia mobilne|мобильный|мобильные устройства|мобільний|мобільні пристрої|мобилно устройство|κινητό|モバイル|' +
    '휴대기기|모바일|移动设备|移动|手机|行動裝置|手機|thiết bị di động|di động|มือถือ|อุปกรณ์เคลื่อนที่|मोबाइल|الجوّال|جوال|نייד|נייד|ניידים|ponsel|seluler|' +
    'mobil enhet|mobilenheter|mobiili|mobilni|mobilni uređaj',
  tablet:
    'tablet|tablets|tablette|tablettes|tableta|tabletas|tablettes tactiles|tabletă|táblagép|tabletler|планшет|планшеты|' +
    'планшети|таблет|τάμπλετ|タブレット|태블릿|平板电脑|平板電腦|平板|máy tính bảng|แท็บเล็ต|टैबलेट|टैबलेट|جهاز لوحي|الأجهزة اللوحية|טאבלט|surfplatta|' +
    'taulutietokone|tabletti|nettbrett|tahvelarvuti|táblet',
};

const BY_NAME: ReadonlyMap<string, string> = new Map(
  Object.entries(NAMES).flatMap(([device, names]) =>
    names.split('|').map((name) => [folded(name), device] as const),
  ),
);

/**
 * `desktop`, `mobile` or `tablet` by its name in an export.
 *
 * @returns undefined for an unknown device
 */
export function deviceName(text: string): string | undefined {
  return BY_NAME.get(folded(text));
}

/** Returns the form in which names are compared. */
export function folded(text: string): string {
  return text.normalize('NFKC').trim().toLowerCase();
}
