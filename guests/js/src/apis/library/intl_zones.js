// Time zones of `Intl`, by the rules that hold now. A zone has the year since which they hold; for an
// earlier date, `intl/zone_history.js` is loaded, which goes back to 1970. What a zone had before is taken
// for what it had then.
//
// A line has the standard offset in minutes, then the offset of summer with the days on which it begins
// and ends (month.week.weekday/hour), a letter for the zone's American name, the year, the names.
import { internal } from 'host';

const TABLE = `-660||1970|Pacific/Niue
-660||1970|Pacific/Midway,Pago_Pago,Samoa US/Samoa
-600||1970|Pacific/Tahiti
-600||1992|Pacific/Rarotonga
-600|H|1970|Pacific/Honolulu,Johnston US/Hawaii
-600 -540 3.2.0 11.1.0|H|2007|America/Adak,Atka US/Aleutian
-570||1970|Pacific/Marquesas
-540||1970|Pacific/Gambier
-540 -480 3.2.0 11.1.0|A|2007|America/Anchorage,Juneau,Nome,Sitka,Yakutat US/Alaska
-540 -480 3.2.0 11.1.0|A|2020|America/Metlakatla
-480||1999|Pacific/Pitcairn
-480 -420 3.2.0 11.1.0|P|2007|America/Los_Angeles,Vancouver Canada/Pacific US/Pacific
-480 -420 3.2.0 11.1.0|P|2010|America/Ensenada,Santa_Isabel,Tijuana Mexico/BajaNorte
-420|M|1970|America/Creston,Phoenix US/Arizona
-420|M|1973|America/Dawson_Creek
-420|M|1999|America/Hermosillo
-420|M|2016|America/Fort_Nelson
-420|M|2021|America/Dawson,Whitehorse Canada/Yukon
-420|M|2023|America/Mazatlan Mexico/BajaSur
-420 -360 3.2.0 11.1.0|M|2007|America/Boise,Cambridge_Bay,Denver,Edmonton,Inuvik,Shiprock,\
Yellowknife Canada/Mountain US/Mountain
-420 -360 3.2.0 11.1.0|M|2023|America/Ciudad_Juarez
-360||1994|Pacific/Galapagos
-360|C|1970|America/Regina Canada/Saskatchewan
-360|C|1973|America/Swift_Current
-360|C|1984|America/Belize
-360|C|1989|America/El_Salvador
-360|C|1993|America/Costa_Rica
-360|C|2007|America/Guatemala,Managua,Tegucigalpa
-360|C|2023|America/Bahia_Banderas,Chihuahua,Merida,Mexico_City,Monterrey Mexico/General
-360 -300 3.2.0 11.1.0|C|2007|America/Chicago,Indiana/Knox,Indiana/Tell_City,Knox_IN,Menominee,North_Dakota/Center,\
North_Dakota/New_Salem,Rainy_River,Rankin_Inlet,Winnipeg Canada/Central US/Central,Indiana-Starke
-360 -300 3.2.0 11.1.0|C|2008|America/Resolute
-360 -300 3.2.0 11.1.0|C|2010|America/Matamoros
-360 -300 3.2.0 11.1.0|C|2011|America/North_Dakota/Beulah
-360 -300 3.2.0 11.1.0|C|2023|America/Ojinaga
-360 -300 9.1.6/22 4.1.6/22||2023|Chile/EasterIsland Pacific/Easter
-300||1994|America/Bogota,Guayaquil
-300||1995|America/Lima
-300||2014|America/Eirunepe,Porto_Acre,Rio_Branco Brazil/Acre
-300|E|1970|America/Atikokan,Cayman,Coral_Harbour,Panama
-300|E|1984|America/Jamaica
-300|E|2016|America/Cancun
-300 -240 3.2.0 11.1.0|E|2007|America/Detroit,Fort_Wayne,Indiana/Indianapolis,Indiana/Marengo,Indiana/Vevay,\
Indianapolis,Iqaluit,Kentucky/Louisville,Kentucky/Monticello,Louisville,Montreal,Nassau,New_York,Nipigon,Pangnirtung,\
Thunder_Bay,Toronto Canada/Eastern US/East-Indiana,Eastern,Michigan
-300 -240 3.2.0 11.1.0|E|2008|America/Indiana/Petersburg,Indiana/Vincennes,Indiana/Winamac
-300 -240 3.2.0 11.1.0|E|2017|America/Port-au-Prince
-300 -240 3.2.0 11.1.0|E|2019|America/Grand_Turk
-300 -240 3.2.0/0 11.1.0/1|C|2013|America/Havana
-240||1970|America/La_Paz
-240||1989|America/Porto_Velho
-240||1993|America/Guyana
-240||1995|America/Manaus Brazil/West
-240||2001|America/Boa_Vista
-240||2017|America/Caracas
-240||2020|America/Campo_Grande,Cuiaba
-240|T|1970|America/Anguilla,Antigua,Aruba,Blanc-Sablon,Curacao,Dominica,Grenada,Guadeloupe,Kralendijk,Lower_Princes,\
Marigot,Montserrat,Port_of_Spain,Puerto_Rico,St_Barthelemy,St_Kitts,St_Lucia,St_Thomas,St_Vincent,Tortola,Virgin
-240|T|1981|America/Barbados,Martinique
-240|T|2001|America/Santo_Domingo
-240 -180 3.2.0 11.1.0|T|2007|America/Glace_Bay,Halifax,Moncton,Thule Atlantic/Bermuda Canada/Atlantic
-240 -180 3.2.0 11.1.0|T|2012|America/Goose_Bay
-240 -180 9.1.6/24 4.1.6/24||2023|America/Santiago Chile/Continental
-210 -150 3.2.0 11.1.0||2012|America/St_Johns Canada/Newfoundland
-180||1970|America/Cayenne
-180||1985|America/Paramaribo
-180||1989|America/Belem
-180||2003|America/Fortaleza,Maceio,Recife
-180||2009|America/Argentina/Catamarca,Argentina/ComodRivadavia,Argentina/Jujuy,Argentina/La_Rioja,Argentina/Mendoza,\
Argentina/Rio_Gallegos,Argentina/Salta,Argentina/San_Juan,Argentina/Ushuaia,Catamarca,Jujuy,Mendoza,Santarem
-180||2010|America/Argentina/Buenos_Aires,Argentina/Cordoba,Argentina/San_Luis,Argentina/Tucuman,Buenos_Aires,\
Cordoba,Rosario
-180||2011|Atlantic/Stanley
-180||2013|America/Bahia
-180||2014|America/Araguaina
-180||2016|America/Montevideo
-180||2017|America/Punta_Arenas
-180||2020|America/Sao_Paulo Brazil/East
-180||2025|America/Asuncion,Coyhaique
-180 -120 3.2.0 11.1.0||2007|America/Miquelon
-120||1970|Atlantic/South_Georgia
-120||2003|America/Noronha Brazil/DeNoronha
-120 -60 3.5.0/-1 10.5.0/0||2024|America/Godthab,Nuuk
-120 -60 3.5.0/-1 10.5.0/0||2025|America/Scoresbysund
-60||1976|Atlantic/Cape_Verde
-60 0 3.5.0/0 10.5.0/1||1996|Atlantic/Azores
0||1970|Africa/Abidjan,Accra,Bamako,Banjul,Conakry,Dakar,Freetown,Lome,Nouakchott,Ouagadougou,\
Timbuktu Atlantic/Reykjavik,St_Helena
0||1973|Africa/Monrovia
0||1975|Africa/Bissau
0||1996|America/Danmarkshavn
0||2019|Africa/Sao_Tome
0 60 3.5.0/1 10.5.0||1996|Europe/Belfast,Guernsey,Isle_of_Man,Jersey,London
0 60 3.5.0/1 10.5.0||1996|Atlantic/Canary,Faeroe,Faroe,Madeira
0 60 3.5.0/1 10.5.0||1997|Europe/Lisbon
60||1970|Africa/Bangui,Brazzaville,Douala,Kinshasa,Lagos,Libreville,Luanda,Malabo,Niamey,Porto-Novo
60||1981|Africa/Ndjamena
60||1982|Africa/Algiers
60||2009|Africa/Tunis
60 0 10.5.0 3.5.0/1||1996|Europe/Dublin
60 120 3.5.0 10.5.0/3||1996|Africa/Ceuta Atlantic/Jan_Mayen Europe/Amsterdam,Andorra,Belgrade,Berlin,Bratislava,\
Brussels,Budapest,Busingen,Copenhagen,Gibraltar,Ljubljana,Luxembourg,Madrid,Malta,Monaco,Oslo,Paris,Podgorica,Prague,\
Rome,San_Marino,Sarajevo,Skopje,Stockholm,Tirane,Vaduz,Vatican,Vienna,Warsaw,Zagreb,Zurich
120||1970|Africa/Blantyre,Bujumbura,Gaborone,Harare,Kigali,Lubumbashi,Lusaka,Maputo
120||1970|Africa/Johannesburg,Maseru,Mbabane
120||2014|Africa/Tripoli
120||2015|Europe/Kaliningrad
120||2018|Africa/Khartoum,Windhoek
120||2022|Africa/Juba
120 180 3.4.4/26 10.5.0||2013|Asia/Jerusalem,Tel_Aviv
120 180 3.5.0 10.5.0/3||1997|Europe/Chisinau,Tiraspol
120 180 3.5.0/0 10.5.0/0||1999|Asia/Beirut
120 180 3.5.0/3 10.5.0/4||1996|Europe/Athens,Helsinki,Mariehamn
120 180 3.5.0/3 10.5.0/4||1997|Europe/Bucharest,Kiev,Kyiv,Sofia,Uzhgorod,Zaporozhye
120 180 3.5.0/3 10.5.0/4||1999|Asia/Nicosia Europe/Nicosia
120 180 3.5.0/3 10.5.0/4||2001|Europe/Riga
120 180 3.5.0/3 10.5.0/4||2002|Europe/Tallinn
120 180 3.5.0/3 10.5.0/4||2003|Europe/Vilnius
120 180 3.5.0/3 10.5.0/4||2018|Asia/Famagusta
120 180 4.5.5/0 10.5.4/24||2023|Africa/Cairo
180||1970|Asia/Aden,Kuwait,Riyadh
180||1970|Africa/Addis_Ababa,Asmara,Asmera,Dar_es_Salaam,Djibouti,Kampala,Mogadishu,Nairobi Indian/Antananarivo,\
Comoro,Mayotte
180||1973|Asia/Bahrain,Qatar
180||2008|Asia/Baghdad
180||2012|Europe/Minsk
180||2015|Europe/Kirov,Moscow,Simferopol
180||2017|Asia/Istanbul Europe/Istanbul
180||2021|Europe/Volgograd
180||2023|Asia/Amman,Damascus
210||2023|Asia/Tehran
240||1970|Asia/Dubai,Muscat Indian/Mahe,Reunion
240||2006|Asia/Tbilisi
240||2010|Indian/Mauritius
240||2012|Asia/Yerevan Europe/Samara
240||2016|Asia/Baku
240||2017|Europe/Astrakhan,Saratov,Ulyanovsk
270||1970|Asia/Kabul
300||1970|Indian/Kerguelen,Maldives
300||1992|Asia/Dushanbe,Samarkand,Tashkent
300||1993|Asia/Ashgabat,Ashkhabad
300||2005|Asia/Aqtau,Aqtobe,Atyrau,Oral
300||2010|Asia/Karachi
300||2015|Asia/Yekaterinburg
300||2019|Asia/Qyzylorda
300||2025|Asia/Almaty,Qostanay
330||1970|Asia/Calcutta,Kolkata
330||2007|Asia/Colombo
345||1986|Asia/Kathmandu,Katmandu
360||1970|Asia/Kashgar,Urumqi
360||1988|Asia/Thimbu,Thimphu
360||1996|Indian/Chagos
360||2006|Asia/Bishkek
360||2010|Asia/Dacca,Dhaka
360||2015|Asia/Omsk
390||1970|Asia/Rangoon,Yangon Indian/Cocos
420||1970|Asia/Bangkok,Phnom_Penh,Vientiane Indian/Christmas
420||1970|Asia/Jakarta
420||1976|Asia/Ho_Chi_Minh,Saigon
420||1988|Asia/Pontianak
420||2012|Asia/Novokuznetsk
420||2015|Asia/Krasnoyarsk
420||2017|Asia/Barnaul,Hovd,Novosibirsk,Tomsk
480||1970|Asia/Brunei,Kuching
480||1970|Asia/Makassar,Ujung_Pandang
480||1980|Asia/Macao,Macau,Taipei
480||1980|Asia/Hong_Kong
480||1982|Asia/Kuala_Lumpur,Singapore
480||1991|Asia/Manila
480||1992|Asia/Chongqing,Chungking,Harbin,Shanghai
480||2010|Australia/Perth,West
480||2015|Asia/Irkutsk
480||2017|Asia/Choibalsan,Ulaanbaatar,Ulan_Bator
525||2010|Australia/Eucla
540||1970|Pacific/Palau
540||1970|Asia/Tokyo
540||1970|Asia/Jayapura
540||1989|Asia/Seoul
540||2001|Asia/Dili
540||2015|Asia/Khandyga,Yakutsk
540||2017|Asia/Chita
540||2019|Asia/Pyongyang
570||1970|Australia/Darwin,North
570 630 10.1.0 4.1.0/3||2008|Australia/Adelaide,Broken_Hill,South,Yancowinna
600||1970|Pacific/Chuuk,Port_Moresby,Truk,Yap
600||1978|Pacific/Guam,Saipan
600||1993|Australia/Brisbane,Queensland
600||1995|Australia/Lindeman
600||2015|Asia/Ust-Nera,Vladivostok
600 660 10.1.0 4.1.0/3||2008|Australia/ACT,Canberra,Currie,Hobart,Melbourne,NSW,Sydney,Tasmania,Victoria
630 660 10.1.0 4.1.0||2008|Australia/LHI,Lord_Howe
660||1970|Pacific/Guadalcanal,Pohnpei,Ponape
660||1994|Pacific/Efate
660||1998|Pacific/Noumea
660||1999|Pacific/Kosrae
660||2015|Asia/Srednekolymsk Pacific/Bougainville
660||2017|Asia/Magadan,Sakhalin
660 720 10.1.0 4.1.0/3||2020|Pacific/Norfolk
720||1970|Pacific/Funafuti,Majuro,Tarawa,Wake,Wallis
720||1980|Pacific/Nauru
720||1994|Pacific/Kwajalein
720||2012|Asia/Anadyr,Kamchatka
720||2022|Pacific/Fiji
720 780 9.5.0 4.1.0/3||2008|Pacific/Auckland
765 825 9.5.0/2:45 4.1.0/3:45||2008|Pacific/Chatham
780||1995|Pacific/Enderbury,Kanton
780||2012|Pacific/Fakaofo
780||2018|Pacific/Tongatapu
780||2022|Pacific/Apia
840||1995|Pacific/Kiritimati`;

const AMERICAN = { E: 'Eastern', C: 'Central', M: 'Mountain', P: 'Pacific', A: 'Alaska', H: 'Hawaii-Aleutian', T: 'Atlantic' };
const SHORT = { A: 'AK', T: 'A' };
// Long names of other zones, by a place and the offset.
const LONG = {
  'Europe/London 0': ['Greenwich Mean Time', 'British Summer Time'],
  'Europe/ 0': ['Western European Standard Time', 'Western European Summer Time'],
  'Europe/ 60': ['Central European Standard Time', 'Central European Summer Time'],
  'Europe/ 120': ['Eastern European Standard Time', 'Eastern European Summer Time'],
  'Europe/Moscow 180': ['Moscow Standard Time'],
  'Asia/Tokyo 540': ['Japan Standard Time'],
  'Asia/Seoul 540': ['Korean Standard Time'],
  'Asia/Shanghai 480': ['China Standard Time'],
  'Asia/Singapore 480': ['Singapore Standard Time'],
  'Asia/Hong_Kong 480': ['Hong Kong Standard Time'],
  'Asia/Dubai 240': ['Gulf Standard Time'],
  'Asia/Kolkata 330': ['India Standard Time'],
  'Asia/Calcutta 330': ['India Standard Time'],
  'America/Sao_Paulo -180': ['Brasilia Standard Time'],
  'Australia/Sydney 600': ['Australian Eastern Standard Time', 'Australian Eastern Daylight Time'],
  'Australia/Melbourne 600': ['Australian Eastern Standard Time', 'Australian Eastern Daylight Time'],
  'Pacific/Auckland 720': ['New Zealand Standard Time', 'New Zealand Daylight Time'],
};
// Zones whose time in winter is named GMT.
const BRITISH = /London|Belfast|Dublin|Guernsey|Isle_of_Man|Jersey/;

let zones;
const all = () => {
  if (zones !== undefined) return zones;
  zones = new Map();
  for (const line of TABLE.split('\n')) {
    const [rule, american, since, names] = line.split('|');
    const [standard, summer, begins, ends] = rule.split(' ');
    const zone = { standard: Number(standard), summer: Number(summer), begins, ends, american, since: Number(since) };
    for (const area of names.split(' ')) {
      const slash = area.indexOf('/');
      for (const place of area.slice(slash + 1).split(',')) {
        const name = `${area.slice(0, slash)}/${place}`;
        zones.set(name.toLowerCase(), { ...zone, name, place: zones.size });
      }
    }
  }
  return zones;
};

// Minutes since the year began, by the zone's own clock, at which a rule applies.
const moment = (year, rule) => {
  const [date, time = '2'] = rule.split('/');
  const [month, week, weekday] = date.split('.').map(Number);
  const [hours, minutes = 0] = time.replace('-', '').split(':').map(Number);
  const first = new Date(Date.UTC(year, month - 1, 1)).getUTCDay();
  let day = 1 + ((weekday - first + 7) % 7) + (week - 1) * 7;
  // The fifth week is the last one.
  if (day > new Date(Date.UTC(year, month, 0)).getUTCDate()) day -= 7;
  return Date.UTC(year, month - 1, day) / 60e3 + (hours * 60 + minutes) * (time.startsWith('-') ? -1 : 1);
};

const isSummer = (zone, minutes) => {
  if (zone.begins === undefined) return false;
  const year = new Date((minutes + zone.standard) * 60e3).getUTCFullYear();
  const begins = moment(year, zone.begins) - zone.standard;
  const ends = moment(year, zone.ends) - zone.summer;
  return begins < ends ? begins <= minutes && minutes < ends : !(ends <= minutes && minutes < begins);
};

const gmt = (offset, isLong) => {
  const [hours, minutes] = [Math.floor(Math.abs(offset) / 60), Math.abs(offset) % 60];
  const two = (number) => `${number}`.padStart(2, '0');
  const text = isLong ? `${two(hours)}:${two(minutes)}` : `${hours}${minutes === 0 ? '' : `:${two(minutes)}`}`;
  return `GMT${offset < 0 ? '-' : '+'}${text}`;
};

// Returns `{ name, offsetAt(date), nameAt(date, style) }` of a zone; undefined for an unknown name.
// The offset of a zone at a time before its present rules.
const earlier = (zone, minutes) => {
  zone.history ??= internal.openPart('internal/intl/zone_history')(zone.place);
  return zone.history.findLast(([from]) => from <= minutes)[1];
};

export default (given) => {
  const zone = all().get(given.toLowerCase());
  if (zone === undefined) return undefined;
  const offsetAt = (date) => {
    const minutes = Math.floor(date.getTime() / 60e3);
    if (date.getUTCFullYear() < zone.since) return earlier(zone, minutes);
    return isSummer(zone, minutes) ? zone.summer : zone.standard;
  };
  return {
    name: zone.name,
    offsetAt,
    nameAt(date, style) {
      const offset = offsetAt(date);
      const summer = offset !== zone.standard;
      const isLong = style.startsWith('long');
      if (/offset/i.test(style)) return gmt(offset, isLong);
      // An offset that the zone does not have now had another name, or none.
      if (summer && offset !== zone.summer) return gmt(offset, isLong);
      if (zone.american !== '') {
        const word = AMERICAN[zone.american];
        if (isLong) return `${word} ${summer ? 'Daylight' : 'Standard'} Time`;
        return `${SHORT[zone.american] ?? zone.american}${summer ? 'D' : 'S'}T`;
      }
      const names = LONG[`${zone.name} ${zone.standard}`] ?? LONG[`${zone.name.split('/')[0]}/ ${zone.standard}`];
      if (offset === 0 && !isLong && (zone.begins === undefined || BRITISH.test(zone.name))) return 'GMT';
      return (isLong ? names?.[summer ? 1 : 0] : undefined) ?? gmt(offset, isLong);
    },
  };
};
export const names = () => [...all().values()].map(({ name }) => name).sort();
