import { folded } from './device-name.ts';

/** ISO 3166-1: two letters and three, of each country. */
const CODES =
  'ADand AEare AFafg AGatg AIaia ALalb AMarm AOago AQata ARarg ASasm ATaut AUaus AWabw AXala AZaze BAbih BBbrb BDbgd ' +
  'BEbel BFbfa BGbgr BHbhr BIbdi BJben BLblm BMbmu BNbrn BObol BQbes BRbra BSbhs BTbtn BVbvt BWbwa BYblr BZblz CAcan ' +
  'CCcck CDcod CFcaf CGcog CHche CIciv CKcok CLchl CMcmr CNchn COcol CRcri CUcub CVcpv CWcuw CXcxr CYcyp CZcze DEdeu ' +
  'DJdji DKdnk DMdma DOdom DZdza ECecu EEest EGegy EHesh EReri ESesp ETeth FIfin FJfji FKflk FMfsm FOfro FRfra GAgab ' +
  'GBgbr GDgrd GEgeo GFguf GGggy GHgha GIgib GLgrl GMgmb GNgin GPglp GQgnq GRgrc GSsgs GTgtm GUgum GWgnb GYguy HKhkg ' +
  'HMhmd HNhnd HRhrv HThti HUhun IDidn IEirl ILisr IMimn INind IOiot IQirq IRirn ISisl ITita JEjey JMjam JOjor JPjpn ' +
  'KEken KGkgz KHkhm KIkir KMcom KNkna KPprk KRkor KWkwt KYcym KZkaz LAlao LBlbn LClca LIlie LKlka LRlbr LSlso LTltu ' +
  'LUlux LVlva LYlby MAmar MCmco MDmda MEmne MFmaf MGmdg MHmhl MKmkd MLmli MMmmr MNmng MOmac MPmnp MQmtq MRmrt MSmsr ' +
  'MTmlt MUmus MVmdv MWmwi MXmex MYmys MZmoz NAnam NCncl NEner NFnfk NGnga NInic NLnld NOnor NPnpl NRnru NUniu NZnzl ' +
  'OMomn PApan PEper PFpyf PGpng PHphl PKpak PLpol PMspm PNpcn PRpri PSpse PTprt PWplw PYpry QAqat REreu ROrou RSsrb ' +
  'RUrus RWrwa SAsau SBslb SCsyc SDsdn SEswe SGsgp SHshn SIsvn SJsjm SKsvk SLsle SMsmr SNsen SOsom SRsur SSssd STstp ' +
  'SVslv SXsxm SYsyr SZswz TCtca TDtcd TFatf TGtgo THtha TJtjk TKtkl TLtls TMtkm TNtun TOton TRtur TTtto TVtuv TWtwn ' +
  'TZtza UAukr UGuga UMumi USusa UYury UZuzb VAvat VCvct VEven VGvgb VIvir VNvnm VUvut WFwlf WSwsm XKxkk YEyem YTmyt ' +
  'ZAzaf ZMzmb ZWzwe';
/** Locales with known country names: the languages of Search Console's page. */
const LOCALES =
  'en de fr es es-419 it pt-BR pt-PT nl sv da nb fi pl cs sk hu ro bg hr sr sl el tr ru uk lt lv et ca ' +
  'ja ko zh-CN zh-TW zh-HK th vi id ms fil hi bn ta te mr gu kn ml ar he fa ur sw';

let names: ReadonlyMap<string, string> | undefined;

/**
 * Returns the three-letter lowercase code of a country, from its code or its name in many languages.
 *
 * @returns undefined for an unknown country
 */
export function countryCode(text: string): string | undefined {
  names ??= namesOfCountries();
  return names.get(folded(text));
}

function namesOfCountries(): Map<string, string> {
  const codes = CODES.split(' ').map((pair) => [pair.slice(0, 2), pair.slice(2)] as const);
  const found = new Map<string, string>();
  for (const locale of LOCALES.split(' '))
    for (const style of ['long', 'short'] as const) {
      const displayed = new Intl.DisplayNames([locale], { type: 'region', style });
      for (const [two, three] of codes) found.set(folded(displayed.of(two) ?? two), three);
    }
  for (const [two, three] of codes) found.set(folded(two), three).set(folded(three), three);
  return found;
}
