// `Intl.DisplayNames` for English: the names of regions, languages, currencies, scripts, calendars and
// fields of dates, by CLDR.
const REGIONS = `AC Ascension Island; AD Andorra; AE United Arab Emirates; AF Afghanistan; AG Antigua & Barbuda; AI Anguilla;
AL Albania; AM Armenia; AN Curaçao; AO Angola; AQ Antarctica; AR Argentina; AS American Samoa; AT Austria;
AU Australia; AW Aruba; AX Åland Islands; AZ Azerbaijan; BA Bosnia & Herzegovina; BB Barbados; BD Bangladesh;
BE Belgium; BF Burkina Faso; BG Bulgaria; BH Bahrain; BI Burundi; BJ Benin; BL St. Barthélemy; BM Bermuda;
BN Brunei; BO Bolivia; BQ Caribbean Netherlands; BR Brazil; BS Bahamas; BT Bhutan; BU Myanmar (Burma);
BV Bouvet Island; BW Botswana; BY Belarus; BZ Belize; CA Canada; CC Cocos (Keeling) Islands; CD Congo - Kinshasa;
CF Central African Republic; CG Congo - Brazzaville; CH Switzerland; CI Côte d’Ivoire; CK Cook Islands; CL Chile;
CM Cameroon; CN China; CO Colombia; CP Clipperton Island; CQ Sark; CR Costa Rica; CS Serbia; CU Cuba;
CV Cape Verde; CW Curaçao; CX Christmas Island; CY Cyprus; CZ Czechia; DD Germany; DE Germany; DG Diego Garcia;
DJ Djibouti; DK Denmark; DM Dominica; DO Dominican Republic; DY Benin; DZ Algeria; EA Ceuta & Melilla;
EC Ecuador; EE Estonia; EG Egypt; EH Western Sahara; ER Eritrea; ES Spain; ET Ethiopia; EU European Union;
EZ Eurozone; FI Finland; FJ Fiji; FK Falkland Islands; FM Micronesia; FO Faroe Islands; FR France; FX France;
GA Gabon; GB United Kingdom; GD Grenada; GE Georgia; GF French Guiana; GG Guernsey; GH Ghana; GI Gibraltar;
GL Greenland; GM Gambia; GN Guinea; GP Guadeloupe; GQ Equatorial Guinea; GR Greece;
GS South Georgia & South Sandwich Islands; GT Guatemala; GU Guam; GW Guinea-Bissau; GY Guyana;
HK Hong Kong SAR China; HM Heard & McDonald Islands; HN Honduras; HR Croatia; HT Haiti; HU Hungary;
HV Burkina Faso; IC Canary Islands; ID Indonesia; IE Ireland; IL Israel; IM Isle of Man; IN India;
IO British Indian Ocean Territory; IQ Iraq; IR Iran; IS Iceland; IT Italy; JE Jersey; JM Jamaica; JO Jordan;
JP Japan; KE Kenya; KG Kyrgyzstan; KH Cambodia; KI Kiribati; KM Comoros; KN St. Kitts & Nevis; KP North Korea;
KR South Korea; KW Kuwait; KY Cayman Islands; KZ Kazakhstan; LA Laos; LB Lebanon; LC St. Lucia; LI Liechtenstein;
LK Sri Lanka; LR Liberia; LS Lesotho; LT Lithuania; LU Luxembourg; LV Latvia; LY Libya; MA Morocco; MC Monaco;
MD Moldova; ME Montenegro; MF St. Martin; MG Madagascar; MH Marshall Islands; MK North Macedonia; ML Mali;
MM Myanmar (Burma); MN Mongolia; MO Macao SAR China; MP Northern Mariana Islands; MQ Martinique; MR Mauritania;
MS Montserrat; MT Malta; MU Mauritius; MV Maldives; MW Malawi; MX Mexico; MY Malaysia; MZ Mozambique; NA Namibia;
NC New Caledonia; NE Niger; NF Norfolk Island; NG Nigeria; NH Vanuatu; NI Nicaragua; NL Netherlands; NO Norway;
NP Nepal; NR Nauru; NU Niue; NZ New Zealand; OM Oman; PA Panama; PE Peru; PF French Polynesia;
PG Papua New Guinea; PH Philippines; PK Pakistan; PL Poland; PM St. Pierre & Miquelon; PN Pitcairn Islands;
PR Puerto Rico; PS Palestinian Territories; PT Portugal; PW Palau; PY Paraguay; QA Qatar; QO Outlying Oceania;
RE Réunion; RH Zimbabwe; RO Romania; RS Serbia; RU Russia; RW Rwanda; SA Saudi Arabia; SB Solomon Islands;
SC Seychelles; SD Sudan; SE Sweden; SG Singapore; SH St. Helena; SI Slovenia; SJ Svalbard & Jan Mayen;
SK Slovakia; SL Sierra Leone; SM San Marino; SN Senegal; SO Somalia; SR Suriname; SS South Sudan;
ST São Tomé & Príncipe; SU Russia; SV El Salvador; SX Sint Maarten; SY Syria; SZ Eswatini; TA Tristan da Cunha;
TC Turks & Caicos Islands; TD Chad; TF French Southern Territories; TG Togo; TH Thailand; TJ Tajikistan;
TK Tokelau; TL Timor-Leste; TM Turkmenistan; TN Tunisia; TO Tonga; TP Timor-Leste; TR Türkiye;
TT Trinidad & Tobago; TV Tuvalu; TW Taiwan; TZ Tanzania; UA Ukraine; UG Uganda; UK United Kingdom;
UM U.S. Outlying Islands; UN United Nations; US United States; UY Uruguay; UZ Uzbekistan; VA Vatican City;
VC St. Vincent & Grenadines; VD Vietnam; VE Venezuela; VG British Virgin Islands; VI U.S. Virgin Islands;
VN Vietnam; VU Vanuatu; WF Wallis & Futuna; WS Samoa; XA Pseudo-Accents; XB Pseudo-Bidi; XK Kosovo; YD Yemen;
YE Yemen; YT Mayotte; YU Serbia; ZA South Africa; ZM Zambia; ZR Congo - Kinshasa; ZW Zimbabwe; ZZ Unknown Region;
001 world; 002 Africa; 003 North America; 005 South America; 009 Oceania; 011 Western Africa;
013 Central America; 014 Eastern Africa; 015 Northern Africa; 017 Middle Africa; 018 Southern Africa;
019 Americas; 021 Northern America; 029 Caribbean; 030 Eastern Asia; 034 Southern Asia; 035 Southeast Asia;
039 Southern Europe; 053 Australasia; 054 Melanesia; 057 Micronesian Region; 061 Polynesia; 142 Asia;
143 Central Asia; 145 Western Asia; 150 Europe; 151 Eastern Europe; 154 Northern Europe; 155 Western Europe;
202 Sub-Saharan Africa; 419 Latin America`;
const LANGUAGES = `aa Afar; ab Abkhazian; ae Avestan; af Afrikaans; ak Akan; am Amharic; an Aragonese; ar Arabic; as Assamese;
av Avaric; ay Aymara; az Azerbaijani; ba Bashkir; be Belarusian; bg Bulgarian; bh Bhojpuri; bi Bislama;
bm Bambara; bn Bangla; bo Tibetan; br Breton; bs Bosnian; ca Catalan; ce Chechen; ch Chamorro; co Corsican;
cr Cree; cs Czech; cu Church Slavic; cv Chuvash; cy Welsh; da Danish; de German; dv Divehi; dz Dzongkha; ee Ewe;
el Greek; en English; eo Esperanto; es Spanish; et Estonian; eu Basque; fa Persian; ff Fula; fi Finnish;
fj Fijian; fo Faroese; fr French; fy Western Frisian; ga Irish; gd Scottish Gaelic; gl Galician; gn Guarani;
gu Gujarati; gv Manx; ha Hausa; he Hebrew; hi Hindi; ho Hiri Motu; hr Croatian; ht Haitian Creole; hu Hungarian;
hy Armenian; hz Herero; ia Interlingua; id Indonesian; ie Interlingue; ig Igbo; ii Sichuan Yi; ik Inupiaq;
in Indonesian; io Ido; is Icelandic; it Italian; iu Inuktitut; iw Hebrew; ja Japanese; ji Yiddish; jv Javanese;
jw Javanese; ka Georgian; kg Kongo; ki Kikuyu; kj Kuanyama; kk Kazakh; kl Kalaallisut; km Khmer; kn Kannada;
ko Korean; kr Kanuri; ks Kashmiri; ku Kurdish; kv Komi; kw Cornish; ky Kyrgyz; la Latin; lb Luxembourgish;
lg Ganda; li Limburgish; ln Lingala; lo Lao; lt Lithuanian; lu Luba-Katanga; lv Latvian; mg Malagasy;
mh Marshallese; mi Māori; mk Macedonian; ml Malayalam; mn Mongolian; mo Romanian; mr Marathi; ms Malay;
mt Maltese; my Burmese; na Nauru; nb Norwegian Bokmål; nd North Ndebele; ne Nepali; ng Ndonga; nl Dutch;
nn Norwegian Nynorsk; no Norwegian; nr South Ndebele; nv Navajo; ny Nyanja; oc Occitan; oj Ojibwa; om Oromo;
or Odia; os Ossetic; pa Punjabi; pi Pali; pl Polish; ps Pashto; pt Portuguese; qu Quechua; rm Romansh; rn Rundi;
ro Romanian; ru Russian; rw Kinyarwanda; sa Sanskrit; sc Sardinian; sd Sindhi; se Northern Sami; sg Sango;
sh Serbian (Latin); si Sinhala; sk Slovak; sl Slovenian; sm Samoan; sn Shona; so Somali; sq Albanian; sr Serbian;
ss Swati; st Southern Sotho; su Sundanese; sv Swedish; sw Swahili; ta Tamil; te Telugu; tg Tajik; th Thai;
ti Tigrinya; tk Turkmen; tl Filipino; tn Tswana; to Tongan; tr Turkish; ts Tsonga; tt Tatar; tw Akan;
ty Tahitian; ug Uyghur; uk Ukrainian; ur Urdu; uz Uzbek; ve Venda; vi Vietnamese; vo Volapük; wa Walloon;
wo Wolof; xh Xhosa; yi Yiddish; yo Yoruba; za Zhuang; zh Chinese; zu Zulu; ace Acehnese; ach Acoli; ada Adangme;
ady Adyghe; aeb Tunisian Arabic; afh Afrihili; agq Aghem; ain Ainu; ajt Tunisian Arabic; aju Judeo-Arabic;
akk Akkadian; akz Alabama; ale Aleut; aln Gheg Albanian; alt Southern Altai; ang Old English; ann Obolo;
anp Angika; arc Aramaic; arn Mapuche; aro Araona; arp Arapaho; arq Algerian Arabic; ars Najdi Arabic; arw Arawak;
ary Moroccan Arabic; arz Egyptian Arabic; asa Asu; ase American Sign Language; ast Asturian; atj Atikamekw;
avk Kotava; awa Awadhi; bal Baluchi; ban Balinese; bar Bavarian; bas Basaa; bax Bamun; bbc Batak Toba;
bbj Ghomala; bcc Baluchi; bcl Bikol; bej Beja; bem Bemba; bew Betawi; bez Bena; bfd Bafut; bfq Badaga;
bgc Haryanvi; bgn Western Balochi; bho Bhojpuri; bik Bikol; bin Bini; bjn Banjar; bkm Kom; bla Siksiká; blg Iban;
blo Anii; blt Tai Dam; bpy Bishnupriya; bqi Bakhtiari; bra Braj; brh Brahui; brx Bodo; bss Akoose; bua Buriat;
bug Buginese; bum Bulu; bxk Luyia; bxr Buriat; byn Blin; byv Medumba; cad Caddo; car Carib; cay Cayuga;
cch Atsam; ccp Chakma; ceb Cebuano; cgg Chiga; chb Chibcha; chg Chagatai; chk Chuukese; chm Mari;
chn Chinook Jargon; cho Choctaw; chp Chipewyan; chr Cherokee; chy Cheyenne; cic Chickasaw; ckb Central Kurdish;
clc Chilcotin; cld Syriac; cnr Montenegrin; cop Coptic; cps Capiznon; crg Michif; crh Crimean Tatar;
crj Southern East Cree; crk Plains Cree; crl Northern East Cree; crm Moose Cree; crr Carolina Algonquian;
crs Seselwa Creole French; csb Kashubian; csw Swampy Cree; dak Dakota; dar Dargwa; dav Taita; del Delaware;
den Slave; dgo Dogri; dgr Dogrib; dhd Marwari; dik Dinka; din Dinka; diq Zaza; dje Zarma; doi Dogri; drw Dari;
dsb Lower Sorbian; dtp Central Dusun; dua Duala; dum Middle Dutch; dyo Jola-Fonyi; dyu Dyula; dzg Dazaga;
ebu Embu; efi Efik; egl Emilian; egy Ancient Egyptian; eka Ekajuk; elx Elamite; emk Mandingo; enm Middle English;
esu Central Yupik; ewo Ewondo; ext Extremaduran; fan Fang; fil Filipino; fit Tornedalen Finnish; fon Fon;
frc Cajun French; frm Middle French; fro Old French; frp Arpitan; frr Northern Frisian; frs Eastern Frisian;
fur Friulian; gaa Ga; gag Gagauz; gan Gan Chinese; gay Gayo; gba Gbaya; gbo Grebo; gbz Zoroastrian Dari;
gez Geez; gil Gilbertese; glk Gilaki; gmh Middle High German; gno Gondi; goh Old High German; gom Konkani;
gon Gondi; gor Gorontalo; got Gothic; grb Grebo; grc Ancient Greek; gsw Swiss German; guc Wayuu; gur Frafra;
guz Gusii; gwi Gwichʼin; gya Gbaya; hai Haida; hak Hakka Chinese; haw Hawaiian; hax Southern Haida; hdn Haida;
hea Hmong; hif Fiji Hindi; hil Hiligaynon; hit Hittite; hmn Hmong; hnj Hmong Njua; hsb Upper Sorbian;
hsn Xiang Chinese; hup Hupa; hur Halkomelem; iba Iban; ibb Ibibio; ikt Western Canadian Inuktitut; ilo Iloko;
inh Ingush; izh Ingrian; jam Jamaican Creole English; jbo Lojban; jgo Ngomba; jmc Machame; jpr Judeo-Persian;
jrb Judeo-Arabic; jut Jutish; kaa Kara-Kalpak; kab Kabyle; kac Kachin; kaj Jju; kam Kamba; kaw Kawi;
kbd Kabardian; kbl Kanembu; kcg Tyap; kde Makonde; kea Kabuverdianu; kek Qʼeqchiʼ; ken Kenyang; kfo Koro;
kgp Kaingang; kha Khasi; kho Khotanese; khq Koyra Chiini; khw Khowar; kiu Kirmanjki; kkj Kako; kln Kalenjin;
kmb Kimbundu; koi Komi-Permyak; kok Konkani; kos Kosraean; kpe Kpelle; krc Karachay-Balkar; kri Krio;
krj Kinaray-a; krl Karelian; kru Kurukh; ksb Shambala; ksf Bafia; ksh Colognian; ktr Central Dusun; kum Kumyk;
kut Kutenai; kwk Kwakʼwala; kxl Kurukh; kxv Kuvi; kzj Central Dusun; kzt Central Dusun; lad Ladino; lag Langi;
lah Western Panjabi; lam Lamba; lez Lezghian; lfn Lingua Franca Nova; lij Ligurian; lil Lillooet; liv Livonian;
lkt Lakota; lmo Lombard; lol Mongo; lou Louisiana Creole; loz Lozi; lrc Northern Luri; lsm Saamia; ltg Latgalian;
lua Luba-Lulua; lui Luiseno; lun Lunda; luo Luo; lus Mizo; luy Luyia; lzh Literary Chinese; lzz Laz;
mad Madurese; maf Mafa; mag Magahi; mai Maithili; mak Makasar; man Mandingo; mas Masai; mde Maba; mdf Moksha;
mdr Mandar; men Mende; mer Meru; mfe Morisyen; mga Middle Irish; mgh Makhuwa-Meetto; mgo Metaʼ; mhr Mari;
mic Mi'kmaw; min Minangkabau; mnc Manchu; mni Manipuri; moe Innu-aimun; moh Mohawk; mos Mossi; mrj Western Mari;
mua Mundang; mul Multiple languages; mup Rajasthani; mus Muscogee; mwl Mirandese; mwr Marwari; mwv Mentawai;
mye Myene; myv Erzya; mzn Mazanderani; nan Min Nan Chinese; nap Neapolitan; naq Nama; nds Low German; new Newari;
nia Nias; niu Niuean; njo Ao Naga; nmg Kwasio; nnh Ngiemboon; nog Nogai; non Old Norse; nov Novial; nqo N’Ko;
nso Northern Sotho; nus Nuer; nwc Classical Newari; nym Nyamwezi; nyn Nyankole; nyo Nyoro; nzi Nzima;
ojb Northwestern Ojibwa; ojc Central Ojibwa; ojs Oji-Cree; ojw Western Ojibwa; oka Okanagan; osa Osage;
ota Ottoman Turkish; pag Pangasinan; pal Pahlavi; pam Pampanga; pap Papiamento; pau Palauan; pcd Picard;
pcm Nigerian Pidgin; pdc Pennsylvania German; pdt Plautdietsch; peo Old Persian; pfl Palatine German;
phn Phoenician; pis Pijin; pmk Carolina Algonquian; pms Piedmontese; pnb Western Panjabi; pnt Pontic;
pon Pohnpeian; pqm Maliseet-Passamaquoddy; prg Prussian; pro Old Provençal; prs Dari; quc Kʼicheʼ;
qug Chimborazo Highland Quichua; raj Rajasthani; rap Rapanui; rar Rarotongan; rgn Romagnol; rhg Rohingya;
rif Riffian; rmy Romany; rof Rombo; rom Romany; rtm Rotuman; rue Rusyn; rug Roviana; rup Aromanian; rwk Rwa;
sad Sandawe; sah Yakut; sam Samaritan Aramaic; saq Samburu; sas Sasak; sat Santali; saz Saurashtra; sba Ngambay;
sbp Sangu; scn Sicilian; sco Scots; sdc Sassarese Sardinian; sdh Southern Kurdish; see Seneca; seh Sena;
sei Seri; sel Selkup; ses Koyraboro Senni; sga Old Irish; sgs Samogitian; shi Tachelhit; shn Shan;
shu Chadian Arabic; sid Sidamo; slh Southern Lushootseed; sli Lower Silesian; sly Selayar; sma Southern Sami;
smd Kimbundu; smj Lule Sami; smn Inari Sami; sms Skolt Sami; snb Iban; snk Soninke; sog Sogdien; spy Kalenjin;
srn Sranan Tongo; srr Serer; ssy Saho; stq Saterland Frisian; str Straits Salish; suk Sukuma; sus Susu;
sux Sumerian; swb Comorian; swc Congo Swahili; syc Classical Syriac; syr Syriac; szl Silesian;
tce Southern Tutchone; tcy Tulu; tdu Central Dusun; tem Timne; teo Teso; ter Tereno; tet Tetum; tgx Tagish;
tht Tahltan; tig Tigre; tiv Tiv; tkl Tokelauan; tkr Tsakhur; tlh Klingon; tli Tlingit; tly Talysh; tmh Tamashek;
tnf Dari; tog Nyasa Tonga; tok Toki Pona; tpi Tok Pisin; tru Turoyo; trv Taroko; trw Torwali; tsd Tsakonian;
tsi Tsimshian; ttm Northern Tutchone; ttq Tamashek; ttt Muslim Tat; tum Tumbuka; tvl Tuvalu; twq Tasawaq;
tyv Tuvinian; tzm Central Atlas Tamazight; udm Udmurt; uga Ugaritic; umb Umbundu; umu Delaware; vai Vai;
vec Venetian; vep Veps; vls West Flemish; vmf Main-Franconian; vmw Makhuwa; vot Votic; vro Võro; vun Vunjo;
wae Walser; wal Wolaytta; war Waray; was Washo; wbp Warlpiri; wuu Wu Chinese; xal Kalmyk; xmf Mingrelian;
xnr Kangri; xog Soga; xpe Kpelle; xsl Slave; yao Yao; yap Yapese; yav Yangben; ybb Yemba; yrl Nheengatu;
yue Cantonese; zai Zapotec; zap Zapotec; zbl Blissymbols; zea Zeelandic; zen Zenaga;
zgh Standard Moroccan Tamazight; zun Zuni; zxx No linguistic content; zza Zaza`;
const CURRENCIES = `ADP Andorran Peseta; AED United Arab Emirates Dirham; AFA Afghan Afghani (1927–2002); AFN Afghan Afghani;
ALK Albanian Lek (1946–1965); ALL Albanian Lek; AMD Armenian Dram; ANG Netherlands Antillean Guilder;
AOA Angolan Kwanza; AOK Angolan Kwanza (1977–1991); AON Angolan New Kwanza (1990–2000);
AOR Angolan Readjusted Kwanza (1995–1999); ARA Argentine Austral; ARL Argentine Peso Ley (1970–1983);
ARM Argentine Peso (1881–1970); ARP Argentine Peso (1983–1985); ARS Argentine Peso; ATS Austrian Schilling;
AUD Australian Dollar; AWG Aruban Florin; AZM Azerbaijani Manat (1993–2006); AZN Azerbaijani Manat;
BAD Bosnia-Herzegovina Dinar (1992–1994); BAM Bosnia-Herzegovina Convertible Mark;
BAN Bosnia-Herzegovina New Dinar (1994–1997); BBD Barbadian Dollar; BDT Bangladeshi Taka;
BEC Belgian Franc (convertible); BEF Belgian Franc; BEL Belgian Franc (financial); BGL Bulgarian Hard Lev;
BGM Bulgarian Socialist Lev; BGN Bulgarian Lev; BGO Bulgarian Lev (1879–1952); BHD Bahraini Dinar;
BIF Burundian Franc; BMD Bermudan Dollar; BND Brunei Dollar; BOB Bolivian Boliviano;
BOL Bolivian Boliviano (1863–1963); BOP Bolivian Peso; BOV Bolivian Mvdol;
BRB Brazilian New Cruzeiro (1967–1986); BRC Brazilian Cruzado (1986–1989); BRE Brazilian Cruzeiro (1990–1993);
BRL Brazilian Real; BRN Brazilian New Cruzado (1989–1990); BRR Brazilian Cruzeiro (1993–1994);
BRZ Brazilian Cruzeiro (1942–1967); BSD Bahamian Dollar; BTN Bhutanese Ngultrum; BUK Burmese Kyat;
BWP Botswanan Pula; BYB Belarusian Ruble (1994–1999); BYN Belarusian Ruble; BYR Belarusian Ruble (2000–2016);
BZD Belize Dollar; CAD Canadian Dollar; CDF Congolese Franc; CHE WIR Euro; CHF Swiss Franc; CHW WIR Franc;
CLE Chilean Escudo; CLF Chilean Unit of Account (UF); CLP Chilean Peso; CNH Chinese Yuan (offshore);
CNX Chinese People’s Bank Dollar; CNY Chinese Yuan; COP Colombian Peso; COU Colombian Real Value Unit;
CRC Costa Rican Colón; CSD Serbian Dinar (2002–2006); CSK Czechoslovak Hard Koruna; CUC Cuban Convertible Peso;
CUP Cuban Peso; CVE Cape Verdean Escudo; CYP Cypriot Pound; CZK Czech Koruna; DDM East German Mark;
DEM German Mark; DJF Djiboutian Franc; DKK Danish Krone; DOP Dominican Peso; DZD Algerian Dinar;
ECS Ecuadorian Sucre; ECV Ecuadorian Unit of Constant Value; EEK Estonian Kroon; EGP Egyptian Pound;
ERN Eritrean Nakfa; ESA Spanish Peseta (A account); ESB Spanish Peseta (convertible account); ESP Spanish Peseta;
ETB Ethiopian Birr; EUR Euro; FIM Finnish Markka; FJD Fijian Dollar; FKP Falkland Islands Pound;
FRF French Franc; GBP British Pound; GEK Georgian Kupon Larit; GEL Georgian Lari; GHC Ghanaian Cedi (1979–2007);
GHS Ghanaian Cedi; GIP Gibraltar Pound; GMD Gambian Dalasi; GNF Guinean Franc; GNS Guinean Syli;
GQE Equatorial Guinean Ekwele; GRD Greek Drachma; GTQ Guatemalan Quetzal; GWE Portuguese Guinea Escudo;
GWP Guinea-Bissau Peso; GYD Guyanaese Dollar; HKD Hong Kong Dollar; HNL Honduran Lempira; HRD Croatian Dinar;
HRK Croatian Kuna; HTG Haitian Gourde; HUF Hungarian Forint; IDR Indonesian Rupiah; IEP Irish Pound;
ILP Israeli Pound; ILR Israeli Shekel (1980–1985); ILS Israeli New Shekel; INR Indian Rupee; IQD Iraqi Dinar;
IRR Iranian Rial; ISJ Icelandic Króna (1918–1981); ISK Icelandic Króna; ITL Italian Lira; JMD Jamaican Dollar;
JOD Jordanian Dinar; JPY Japanese Yen; KES Kenyan Shilling; KGS Kyrgyz Som; KHR Cambodian Riel;
KMF Comorian Franc; KPW North Korean Won; KRH South Korean Hwan (1953–1962); KRO South Korean Won (1945–1953);
KRW South Korean Won; KWD Kuwaiti Dinar; KYD Cayman Islands Dollar; KZT Kazakhstani Tenge; LAK Laotian Kip;
LBP Lebanese Pound; LKR Sri Lankan Rupee; LRD Liberian Dollar; LSL Lesotho Loti; LTL Lithuanian Litas;
LTT Lithuanian Talonas; LUC Luxembourgian Convertible Franc; LUF Luxembourgian Franc;
LUL Luxembourg Financial Franc; LVL Latvian Lats; LVR Latvian Ruble; LYD Libyan Dinar; MAD Moroccan Dirham;
MAF Moroccan Franc; MCF Monegasque Franc; MDC Moldovan Cupon; MDL Moldovan Leu; MGA Malagasy Ariary;
MGF Malagasy Franc; MKD Macedonian Denar; MKN Macedonian Denar (1992–1993); MLF Malian Franc; MMK Myanmar Kyat;
MNT Mongolian Tugrik; MOP Macanese Pataca; MRO Mauritanian Ouguiya (1973–2017); MRU Mauritanian Ouguiya;
MTL Maltese Lira; MTP Maltese Pound; MUR Mauritian Rupee; MVP Maldivian Rupee (1947–1981); MVR Maldivian Rufiyaa;
MWK Malawian Kwacha; MXN Mexican Peso; MXP Mexican Silver Peso (1861–1992); MXV Mexican Investment Unit;
MYR Malaysian Ringgit; MZE Mozambican Escudo; MZM Mozambican Metical (1980–2006); MZN Mozambican Metical;
NAD Namibian Dollar; NGN Nigerian Naira; NIC Nicaraguan Córdoba (1988–1991); NIO Nicaraguan Córdoba;
NLG Dutch Guilder; NOK Norwegian Krone; NPR Nepalese Rupee; NZD New Zealand Dollar; OMR Omani Rial;
PAB Panamanian Balboa; PEI Peruvian Inti; PEN Peruvian Sol; PES Peruvian Sol (1863–1965);
PGK Papua New Guinean Kina; PHP Philippine Peso; PKR Pakistani Rupee; PLN Polish Zloty;
PLZ Polish Zloty (1950–1995); PTE Portuguese Escudo; PYG Paraguayan Guarani; QAR Qatari Riyal;
RHD Rhodesian Dollar; ROL Romanian Leu (1952–2006); RON Romanian Leu; RSD Serbian Dinar; RUB Russian Ruble;
RUR Russian Ruble (1991–1998); RWF Rwandan Franc; SAR Saudi Riyal; SBD Solomon Islands Dollar;
SCR Seychellois Rupee; SDD Sudanese Dinar (1992–2007); SDG Sudanese Pound; SDP Sudanese Pound (1957–1998);
SEK Swedish Krona; SGD Singapore Dollar; SHP St. Helena Pound; SIT Slovenian Tolar; SKK Slovak Koruna;
SLE Sierra Leonean Leone; SLL Sierra Leonean Leone (1964—2022); SOS Somali Shilling; SRD Surinamese Dollar;
SRG Surinamese Guilder; SSP South Sudanese Pound; STD São Tomé & Príncipe Dobra (1977–2017);
STN São Tomé & Príncipe Dobra; SUR Soviet Rouble; SVC Salvadoran Colón; SYP Syrian Pound; SZL Swazi Lilangeni;
THB Thai Baht; TJR Tajikistani Ruble; TJS Tajikistani Somoni; TMM Turkmenistani Manat (1993–2009);
TMT Turkmenistani Manat; TND Tunisian Dinar; TOP Tongan Paʻanga; TPE Timorese Escudo;
TRL Turkish Lira (1922–2005); TRY Turkish Lira; TTD Trinidad & Tobago Dollar; TWD New Taiwan Dollar;
TZS Tanzanian Shilling; UAH Ukrainian Hryvnia; UAK Ukrainian Karbovanets; UGS Ugandan Shilling (1966–1987);
UGX Ugandan Shilling; USD US Dollar; USN US Dollar (Next day); USS US Dollar (Same day);
UYI Uruguayan Peso (Indexed Units); UYP Uruguayan Peso (1975–1993); UYU Uruguayan Peso;
UYW Uruguayan Nominal Wage Index Unit; UZS Uzbekistani Som; VEB Venezuelan Bolívar (1871–2008);
VED Bolívar Soberano; VEF Venezuelan Bolívar (2008–2018); VES Venezuelan Bolívar; VND Vietnamese Dong;
VNN Vietnamese Dong (1978–1985); VUV Vanuatu Vatu; WST Samoan Tala; XAF Central African CFA Franc; XAG Silver;
XAU Gold; XBA European Composite Unit; XBB European Monetary Unit; XBC European Unit of Account (XBC);
XBD European Unit of Account (XBD); XCD East Caribbean Dollar; XCG Caribbean guilder; XDR Special Drawing Rights;
XEU European Currency Unit; XFO French Gold Franc; XFU French UIC-Franc; XOF West African CFA Franc;
XPD Palladium; XPF CFP Franc; XPT Platinum; XRE RINET Funds; XSU Sucre; XTS Testing Currency Code;
XUA ADB Unit of Account; XXX Unknown Currency; YDD Yemeni Dinar; YER Yemeni Rial;
YUD Yugoslavian Hard Dinar (1966–1990); YUM Yugoslavian New Dinar (1994–2002);
YUN Yugoslavian Convertible Dinar (1990–1992); YUR Yugoslavian Reformed Dinar (1992–1993);
ZAL South African Rand (financial); ZAR South African Rand; ZMK Zambian Kwacha (1968–2012); ZMW Zambian Kwacha;
ZRN Zairean New Zaire (1993–1998); ZRZ Zairean Zaire (1971–1993); ZWD Zimbabwean Dollar (1980–2008);
ZWG Zimbabwean Gold; ZWL Zimbabwean Dollar (2009–2024); ZWR Zimbabwean Dollar (2008)`;
const SCRIPTS = `Adlm Adlam; Afak Afaka; Aghb Caucasian Albanian; Ahom Ahom; Arab Arabic; Aran Nastaliq; Armi Imperial Aramaic;
Armn Armenian; Avst Avestan; Bali Balinese; Bamu Bamum; Bass Bassa Vah; Batk Batak; Beng Bangla; Berf Beria Erfe;
Bhks Bhaiksuki; Blis Blissymbols; Bopo Bopomofo; Brah Brahmi; Brai Braille; Bugi Buginese; Buhd Buhid;
Cakm Chakma; Cans Unified Canadian Aboriginal Syllabics; Cari Carian; Cham Cham; Cher Cherokee; Chrs Chorasmian;
Cirt Cirth; Copt Coptic; Cpmn Cypro-Minoan; Cprt Cypriot; Cyrl Cyrillic; Cyrs Old Church Slavonic Cyrillic;
Deva Devanagari; Diak Dives Akuru; Dogr Dogra; Dsrt Deseret; Dupl Duployan shorthand; Egyd Egyptian demotic;
Egyh Egyptian hieratic; Egyp Egyptian hieroglyphs; Elba Elbasan; Elym Elymaic; Ethi Ethiopic; Gara Garay;
Geok Georgian Khutsuri; Geor Georgian; Glag Glagolitic; Gong Gunjala Gondi; Gonm Masaram Gondi; Goth Gothic;
Gran Grantha; Grek Greek; Gujr Gujarati; Gukh Gurung Khema; Guru Gurmukhi; Hanb Han with Bopomofo; Hang Hangul;
Hani Han; Hano Hanunoo; Hans Simplified; Hant Traditional; Hatr Hatran; Hebr Hebrew; Hira Hiragana;
Hluw Anatolian Hieroglyphs; Hmng Pahawh Hmong; Hmnp Nyiakeng Puachue Hmong; Hrkt Japanese syllabaries;
Hung Old Hungarian; Inds Indus; Ital Old Italic; Jamo Jamo; Java Javanese; Jpan Japanese; Jurc Jurchen;
Kali Kayah Li; Kana Katakana; Kawi Kawi; Khar Kharoshthi; Khmr Khmer; Khoj Khojki; Kits Khitan small script;
Knda Kannada; Kore Korean; Kpel Kpelle; Krai Kirat Rai; Kthi Kaithi; Lana Lanna; Laoo Lao; Latf Fraktur Latin;
Latg Gaelic Latin; Latn Latin; Lepc Lepcha; Limb Limbu; Lina Linear A; Linb Linear B; Lisu Fraser; Loma Loma;
Lyci Lycian; Lydi Lydian; Mahj Mahajani; Maka Makasar; Mand Mandaean; Mani Manichaean; Marc Marchen;
Maya Mayan hieroglyphs; Medf Medefaidrin; Mend Mende; Merc Meroitic Cursive; Mero Meroitic; Mlym Malayalam;
Modi Modi; Mong Mongolian; Moon Moon; Mroo Mro; Mtei Meitei Mayek; Mult Multani; Mymr Myanmar; Nagm Nag Mundari;
Nand Nandinagari; Narb Old North Arabian; Nbat Nabataean; Newa Newa; Nkgb Naxi Geba; Nkoo N’Ko; Nshu Nüshu;
Ogam Ogham; Olck Ol Chiki; Onao Ol Onal; Orkh Orkhon; Orya Odia; Osge Osage; Osma Osmanya; Ougr Old Uyghur;
Palm Palmyrene; Pauc Pau Cin Hau; Perm Old Permic; Phag Phags-pa; Phli Inscriptional Pahlavi;
Phlp Psalter Pahlavi; Phlv Book Pahlavi; Phnx Phoenician; Plrd Pollard Phonetic; Prti Inscriptional Parthian;
Qaag Zawgyi; Rjng Rejang; Rohg Hanifi; Roro Rongorongo; Runr Runic; Samr Samaritan; Sara Sarati;
Sarb Old South Arabian; Saur Saurashtra; Sgnw SignWriting; Shaw Shavian; Shrd Sharada; Sidd Siddham;
Sidt Sidetic; Sind Khudawadi; Sinh Sinhala; Sogd Sogdian; Sogo Old Sogdian; Sora Sora Sompeng; Soyo Soyombo;
Sund Sundanese; Sunu Sunuwar; Sylo Syloti Nagri; Syrc Syriac; Syre Estrangelo Syriac; Syrj Western Syriac;
Syrn Eastern Syriac; Tagb Tagbanwa; Takr Takri; Tale Tai Le; Talu New Tai Lue; Taml Tamil; Tang Tangut;
Tavt Tai Viet; Tayo Tai Yo; Telu Telugu; Teng Tengwar; Tfng Tifinagh; Tglg Tagalog; Thaa Thaana; Thai Thai;
Tibt Tibetan; Tirh Tirhuta; Tnsa Tangsa; Todr Todhri; Tols Tolong Siki; Toto Toto; Tutg Tulu-Tigalari;
Ugar Ugaritic; Vaii Vai; Visp Visible Speech; Vith Vithkuqi; Wara Varang Kshiti; Wcho Wancho; Wole Woleai;
Xpeo Old Persian; Xsux Sumero-Akkadian Cuneiform; Yezi Yezidi; Yiii Yi; Zanb Zanabazar Square; Zinh Inherited;
Zmth Mathematical Notation; Zsye Emoji; Zsym Symbols; Zxxx Unwritten; Zyyy Common; Zzzz Unknown Script`;
const CALENDARS = `buddhist Buddhist Calendar; chinese Chinese Calendar; coptic Coptic Calendar; dangi Dangi Calendar;
ethioaa Ethiopic Amete Alem Calendar; ethiopic Ethiopic Calendar; gregory Gregorian Calendar;
hebrew Hebrew Calendar; indian Indian National Calendar; islamic Hijri Calendar;
islamic-civil Hijri Calendar (tabular, civil epoch); islamic-rgsa Hijri Calendar (Saudi Arabia, sighting);
islamic-tbla Hijri Calendar (tabular, astronomical epoch); islamic-umalqura Hijri Calendar (Umm al-Qura);
iso8601 Gregorian Calendar (ISO 8601 Weeks); japanese Japanese Calendar; persian Persian Calendar;
roc Minguo Calendar`;
const DIALECTS = `ar-001 Modern Standard Arabic; de-AT Austrian German; de-CH Swiss High German; en-AU Australian English;
en-CA Canadian English; en-GB British English; en-US American English; es-ES European Spanish;
es-MX Mexican Spanish; es-419 Latin American Spanish; fa-AF Dari; fr-CA Canadian French; fr-CH Swiss French;
nl-BE Flemish; pt-BR Brazilian Portuguese; pt-PT European Portuguese; ro-MD Moldavian; sr-ME Montenegrin;
sw-CD Congo Swahili; zh-Hans Simplified Chinese; zh-Hant Traditional Chinese`;
const SHORT_REGIONS = {
  BA: 'Bosnia', CC: 'Cocos Islands', GB: 'UK', HK: 'Hong Kong', MM: 'Myanmar', MO: 'Macao', PN: 'Pitcairn',
  PS: 'Palestine', UN: 'UN', US: 'US',
};
const SHORT_LANGUAGES = { az: 'Azeri', 'en-GB': 'UK English', 'en-US': 'US English' };
const FIELDS = {
  long: {
    era: 'era', year: 'year', quarter: 'quarter', month: 'month', weekOfYear: 'week', weekday: 'day of the week',
    day: 'day', dayPeriod: 'AM/PM', hour: 'hour', minute: 'minute', second: 'second', timeZoneName: 'time zone',
  },
  short: {
    era: 'era', year: 'yr.', quarter: 'qtr.', month: 'mo.', weekOfYear: 'wk.', weekday: 'day of wk.', day: 'day',
    dayPeriod: 'AM/PM', hour: 'hr.', minute: 'min.', second: 'sec.', timeZoneName: 'zone',
  },
  narrow: {
    era: 'era', year: 'yr', quarter: 'qtr', month: 'mo', weekOfYear: 'wk', weekday: 'day of wk.', day: 'day',
    dayPeriod: 'AM/PM', hour: 'hr', minute: 'min', second: 'sec', timeZoneName: 'zone',
  },
};

const tables = new Map();
const tableOf = (text) => {
  if (!tables.has(text)) {
    const rows = text.split(/;\s/).map((row) => [row.slice(0, row.indexOf(' ')), row.slice(row.indexOf(' ') + 1)]);
    tables.set(text, new Map(rows));
  }
  return tables.get(text);
};

// Form of a code, and the code as the table has it. Regions and scripts are looked up as they are
// written, as in V8.
const TYPES = {
  region: [REGIONS, /^([a-z]{2}|\d{3})$/i, (code) => code],
  language: [LANGUAGES, /^[a-z]{2,3}(-[a-z]{4})?(-([a-z]{2}|\d{3}))?(-[a-z\d]{5,8}|-\d[a-z\d]{3})*$/i, (code) => code],
  currency: [CURRENCIES, /^[a-z]{3}$/i, (code) => code.toUpperCase()],
  script: [SCRIPTS, /^[a-z]{4}$/i, (code) => code],
  calendar: [CALENDARS, /^[a-z\d]{3,8}(-[a-z\d]{3,8})*$/i, (code) => code.toLowerCase()],
  dateTimeField: [undefined, /^(era|year|quarter|month|weekOfYear|weekday|day|dayPeriod|hour|minute|second|timeZoneName)$/, (code) => code],
};
// The subtags of a language in their usual case.
const titled = (part) => part[0].toUpperCase() + part.slice(1).toLowerCase();
const isScript = (part) => /^[a-z]{4}$/i.test(part);
const canonical = (tag) => {
  const [language, ...rest] = tag.split('-');
  return [language.toLowerCase(), ...rest.map((part) => (isScript(part) ? titled(part) : part.length < 4 ? part.toUpperCase() : part))].join('-');
};

const choice = (options, name, values, usual) => {
  const value = options[name];
  if (value === undefined) return usual;
  if (values.includes(`${value}`)) return `${value}`;
  throw new RangeError(`Value ${value} out of range for Intl.DisplayNames options property ${name}`);
};

export default (localeOf) =>
  class DisplayNames {
    #options;
    constructor(locales, options = undefined) {
      if (options === undefined) throw new TypeError('invalid_argument');
      const locale = localeOf(locales);
      const style = choice(options, 'style', ['narrow', 'short', 'long'], 'long');
      const type = choice(options, 'type', Object.keys(TYPES), undefined);
      if (type === undefined) throw new TypeError('invalid_argument');
      const fallback = choice(options, 'fallback', ['code', 'none'], 'code');
      const languageDisplay = choice(options, 'languageDisplay', ['dialect', 'standard'], 'dialect');
      this.#options = { locale, style, type, fallback, ...(type === 'language' ? { languageDisplay } : {}) };
    }
    of(code) {
      const { type, style, fallback } = this.#options;
      const [text, form, shape] = TYPES[type];
      const given = `${code}`.replace(type === 'language' ? /-u(-[a-z\d]{2,8})+$/i : /$^/, '');
      if (!form.test(given)) throw new RangeError('invalid_argument');
      if (type === 'dateTimeField') return FIELDS[style][given];
      const key = shape(given);
      const short = style === 'long' || type !== 'region' ? undefined : SHORT_REGIONS[key];
      const found = short ?? (type === 'language' ? this.#language(canonical(given)) : tableOf(text).get(key));
      return found ?? (fallback === 'code' ? (type === 'language' ? canonical(`${code}`) : `${code}`) : undefined);
    }
    // The name of a dialect, or that of the language with what follows in brackets.
    #language(tag) {
      const { style, languageDisplay } = this.#options;
      const short = (names, code) => (style === 'long' ? undefined : names[code]);
      const dialect = languageDisplay === 'dialect' ? (short(SHORT_LANGUAGES, tag) ?? tableOf(DIALECTS).get(tag)) : undefined;
      if (dialect !== undefined) return dialect;
      const [language, ...rest] = tag.split('-');
      const name = short(SHORT_LANGUAGES, language) ?? tableOf(LANGUAGES).get(language);
      if (name === undefined || rest.length === 0) return name;
      const words = rest.map((part) => {
        const word = isScript(part) ? tableOf(SCRIPTS).get(part) : (short(SHORT_REGIONS, part) ?? tableOf(REGIONS).get(part));
        return (word ?? part).replaceAll('(', '[').replaceAll(')', ']');
      });
      return `${name} (${words.join(', ')})`;
    }
    resolvedOptions() {
      return { ...this.#options };
    }
    static supportedLocalesOf(locales) {
      return [locales ?? []].flat().map(String);
    }
    get [Symbol.toStringTag]() {
      return 'Intl.DisplayNames';
    }
  };
