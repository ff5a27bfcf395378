"""Words by which people are called without a name: mother, boss, everyone.

Who is meant by such a word only the owner of the phone knows, where no screen shows the very word. A name with one more
of them is of somebody else: "Lena Mama" may be Lena's mother, "Lena Team" a group.
"""

from typing import Final

_ROLES: Final = """
mom mum mommy mummy mama mother dad daddy papa father parents grandma granny grandmother grandpa
grandfather sister sis brother bro sibling son daughter kid kids child children baby aunt auntie uncle
cousin niece nephew husband hubby wife partner girlfriend boyfriend fiance fiancee ex spouse family
friend friends bestie buddy boss manager supervisor colleague colleagues coworker coworkers assistant
secretary employee employees staff team group groups gang crew class club everyone everybody all anyone
somebody someone nobody contact contacts recipient recipients sender landlord landlady tenant roommate
flatmate neighbor neighbour neighbors neighbours doctor dentist teacher coach trainer tutor lawyer
accountant plumber electrician mechanic babysitter nanny cleaner guests owner customer client seller
buyer stranger me myself us him her them he she they you yourself mutti mutter vati vater eltern oma opa
großmutter großvater schwester bruder sohn tochter kinder tante onkel cousine neffe nichte ehemann
ehefrau freund freundin freunde freundinnen verlobte verlobter chef chefin vorgesetzter vorgesetzte
kollege kollegin kollegen kolleginnen mitarbeiter mitarbeiterin gruppe mannschaft klasse verein alle
jeder jemand niemand kontakt kontakte empfänger absender vermieter vermieterin mieter mitbewohner
mitbewohnerin nachbar nachbarin nachbarn arzt ärztin zahnarzt zahnärztin lehrer lehrerin trainerin
anwalt anwältin steuerberater kunde kundin verkäufer verkäuferin käufer familie mich mir uns ihn ihm sie
ihr ihnen maman mère papi mamie père frère sœur fils fille femme copain copine amis amies patron
patronne collègue collègues équipe groupe tous toutes famille voisin voisine médecin propriétaire
professeur moi nous lui madre mamá padre papá abuela abuelo hermano hermana hijo hija marido esposo
esposa novio novia amigo amiga amigos jefe jefa compañero compañera equipo grupo todos todas familia
vecino vecina médico casero profesor profesora yo nosotros mãe pai avó avô irmão irmã filho filha
namorado namorada chefe colega equipe vizinho vizinha família eu nós mamma babbo nonna nonno fratello
sorella figlio figlia marito moglie fidanzato fidanzata amico amica amici capo collega squadra gruppo
tutti tutte famiglia vicino vicina medico dottore padrone professore io noi moeder vader ouders zus
broer zoon dochter vriend vriendin vrienden baas groep iedereen buurman buurvrouw dokter leraar huisbaas
ik wij ons tata matka ojciec babcia dziadek brat siostra syn córka mąż żona chłopak dziewczyna
przyjaciel przyjaciółka szef szefowa kolega koleżanka zespół grupa wszyscy rodzina sąsiad sąsiadka
lekarz ja my мама мать папа отец бабушка дедушка брат сестра сын дочь муж жена парень девушка друг
подруга друзья начальник начальница шеф босс коллега коллеги команда группа все семья сосед соседка врач
учитель я мы baba anneanne babaanne ağabey kardeş oğul oğlum kız kızım kocam karı karım eş eşim sevgili
sevgilim arkadaş arkadaşım müdür iş ekip grup herkes aile komşu doktor öğretmen annem babam patronum
kardeşim أمي أم ماما أبي أب بابا أخي أخ أختي أخت ابني ابنتي زوجي زوجتي صديقي صديقتي مديري مدير رئيسي
زميلي جاري فريق مجموعة الجميع عائلة العائلة 母 母さん お母さん 父 お父さん ママ パパ 兄 お兄さん 姉
お姉さん 弟 妹 夫 妻 息子 娘 祖母 祖父 友達 友人 上司 部長 課長 社長 同僚 先生 家族 みんな 全員 隣人
医者 大家 彼 彼女 彼氏 私 僕 妈 妈妈 母亲 爸 爸爸 父亲 哥哥 姐姐 弟弟 妹妹 丈夫 老公 妻子 老婆 儿子 女儿
奶奶 爷爷 外婆 外公 朋友 老板 领导 经理 同事 老师 医生 房东 邻居 家人 所有人 群 我 他 她 男朋友 女朋友
엄마 어머니 아빠 아버지 형 오빠 누나 언니 동생 남편 아내 아들 딸 할머니 할아버지 친구 사장님 상사 부장님
팀장님 동료 선생님 가족 모두 이웃 의사 나 남자친구 여자친구 แม่ พ่อ พี่ น้อง สามี ภรรยา ลูก เพื่อน
หัวหน้า เจ้านาย ครู หมอ ครอบครัว ทุกคน แฟน ฉัน ผม mẹ má bố ba chị chồng vợ bạn sếp gia đình माँ मम्मी
पिता पापा भाई बहन पति पत्नी बेटा बेटी दोस्त बॉस परिवार सब मैं ibu bapak ayah kakak adik suami istri
teman bos keluarga semua
"""

_OF_WHOM: Final = """
my our your his her their the a an dear old new mein meine meinen meinem meiner unser unsere unseren
unserem unserer der die das den dem ein eine einen einem einer lieber liebe mon ma mes notre nos le la
les un une mi mis nuestro nuestra nuestros el los las una uno meu minha meus minhas nosso nossa o os as
um uma mio mia miei mie nostro nostra il lo gli mijn onze ons de het een mój moja moje moi mojego mojej
mojemu nasz nasza мой моя мои моему моей моим наш наша benim bizim bir 私の 我的 我 내 우리 ของฉัน của
tôi मेरा मेरी मेरे
"""

_TITLES: Final = """
mr mister mrs ms miss mx dr doctor prof professor sir madam dame rev fr herr frau fräulein hr dipl
ing m mme mlle monsieur madame mademoiselle me sr sra srta señor señora señorita don doña senhor
senhora dom dona signor signora signore sig dott dottor dottoressa dhr mevr meneer mevrouw pan pani
pana panu panią г господин госпожа господину госпоже bay bayan sayın hanım bey السيد السيدة الدكتور
الدكتورة دكتور دكتورة أستاذ أستاذة الأستاذ الأستاذة استاذ استاذة الاستاذ الاستاذة آنسة الآنسة أ د
docteur dra doctora doutor doutora คุณ นาย นาง
ông bà श्री श्रीमती श्रीमान सुश्री जी डॉ jr senior
junior ii iii phd md
"""

_BEFORE_FIRST_NAMES: Final = """
السيدة الدكتور الدكتورة دكتور دكتورة أستاذ أستاذة الأستاذ الأستاذة استاذ استاذة الاستاذ الاستاذة آنسة الآنسة أ د
คุณ นาย นาง श्री श्रीमती श्रीमान सुश्री
"""

_KOREAN_TITLES: Final = """
대리 과장 차장 부장 팀장 사원 주임 실장 이사 상무 전무 대표 원장 교수 기사
"""

_BEHIND_FIRST_NAMES: Final = """
hanım bey जी
"""

_BEFORE_A_NAME: Final = """
tierarzt tierärztin krankenschwester hausmeister infirmière infirmier vétérinaire plombier électricien nounou tía tío
fontanero enfermera veterinaria niñera zia zio idraulico infermiera tia tio encanador oom loodgieter verpleegster
dierenarts ciocia wujek hydraulik pielęgniarka ветеринар ветеринару тренер тренеру воспитатель воспитательница
учительница логопед репетитор риелтор сантехник электрик няня тётя тетя дядя племянник племянница медсестра
amcam dayım teyzem halam kuzenim veteriner hemşire antrenör مشرفة معلمة مدربة ممرضة خالتي عمتي جارتي
表哥 表弟 表姐 表妹 堂哥 堂弟 堂姐 堂妹 姑姑 姑妈 阿姨 舅舅 舅妈 叔叔 婶婶 伯伯 姨妈 岳父 岳母 侄子 侄女 外甥
室友 教练 护士 司机 卖家 叔父 叔母 従兄弟 従姉妹 看護師 獣医 出品者 삼촌 이모 고모 사촌 조카 간호사 수의사
"""

_NOBODY_ALONE: Final = """
family team gang crew class club familie mannschaft klasse verein famille équipe familia equipo família
equipe famiglia squadra rodzina zespół семья команда aile ekip عائلة العائلة فريق 家族 家人 가족 ครอบครัว gia
đình परिवार keluarga parents sibling kid kids child children friend friends colleague colleagues coworker
coworkers assistant employee employees staff group groups everyone everybody all anyone somebody someone
nobody contact contacts recipient recipients sender guests owner customer client seller buyer stranger me
myself us him them he she her they you yourself neighbors neighbours eltern kinder freund freundin
freunde freundinnen kollege kollegin kollegen kolleginnen mitarbeiter mitarbeiterin gruppe alle jeder
jemand niemand kontakt kontakte empfänger absender nachbarn kunde kundin verkäufer verkäuferin käufer
mich mir uns ihn ihm sie ihr ihnen amis amies collègue collègues groupe tous toutes propriétaire moi nous
lui amigo amiga amigos compañero compañera grupo todos todas yo nosotros colega eu nós amico amica amici
collega gruppo tutti tutte io noi ouders vriend vriendin vrienden groep iedereen ik wij ons przyjaciel
przyjaciółka kolega koleżanka grupa wszyscy ja друг подруга друзья коллега коллеги группа все я мы iş
arkadaş arkadaşım grup herkes صديقي صديقتي زميلي مجموعة الجميع 友達 友人 同僚 みんな 全員 彼 彼女 私 僕
朋友 同事 所有人 群 我 他 她
친구 동료 모두 나 พี่ น้อง เพื่อน ทุกคน ฉัน ผม chị bạn दोस्त सब मैं teman semua
"""

_OUR_OWN: Final = """
my our the mein meine meinen meinem meiner unser unsere unseren unserem unserer der die dem notre nos
nuestro nuestra meu meus nosso nossa nostro nostra il mijn onze het mój moja moje mojego mojej mojemu
nasz nasza мой моя мои моему моей моим наш наша benim bizim 私の 我的 내 मेरा मेरे
"""

HONORIFICS: Final = tuple(
    "さん 様 さま 先生 くん 君 ちゃん 殿 氏 先輩 女士 小姐 老师 同学 님 씨 선생님 군 양".split()
)
"""They stand right behind a name."""


ROLES: Final = frozenset(_ROLES.casefold().split())
"""Who has a part in somebody's life, and groups; casefolded."""
BEFORE_A_NAME: Final = frozenset(_BEFORE_A_NAME.casefold().split())
"""Who somebody is, where a program says it before the name; in the text of a screen they are words as others."""
AMBIGUOUS: Final = frozenset(
    (
        "ami amie anh anne abi abla ben dede driver elle em frau guest host kind koca man mann mari mate "
        "vrouw"
    ).split()
)
"""Roles that are names, too: after a word that says whose they are, or in small letters before a name, they are
roles."""
OF_WHOM: Final = frozenset(_OF_WHOM.split())
"""Whose it is, and articles: they name nobody, where another word does."""
TITLES: Final = frozenset((_TITLES + _KOREAN_TITLES).split())
"""They stand before or behind a name, and name nobody, where another word does."""
KOREAN_TITLES: Final = frozenset(_KOREAN_TITLES.split())
"""Of `TITLES` those behind a whole Korean name; behind a family name alone they tell who of the family it is."""
BEFORE_FIRST_NAMES: Final = frozenset(_BEFORE_FIRST_NAMES.split())
"""Of `TITLES` those before a first name, where people are called so; nobody is called by one of them alone."""
BEHIND_FIRST_NAMES: Final = frozenset(_BEHIND_FIRST_NAMES.split())
"""The same of titles that stand behind the name."""
NOBODY_ALONE: Final = frozenset(_NOBODY_ALONE.casefold().split())
"""Roles that many have, groups, words for everybody or anybody, labels: the very word calls nobody in particular."""
OUR_OWN: Final = frozenset(_OUR_OWN.split())
"""Of `OF_WHOM` those that say that it is the speaker's, and definite articles; without what is a name, too (Mia)."""
