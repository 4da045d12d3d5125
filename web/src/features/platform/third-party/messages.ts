import { words as stateWords } from '@/api/words/DeliveryState'
import { words as appWords } from '@/api/words/OpenAppView'
import { words as callWords } from '@/api/words/OpenCallView'
import { words as deliveryWords } from '@/api/words/OpenDeliveryView'
import { title as doorTitle, words as doorWords } from '@/api/words/OpenDoor'
import { counted, defineMessages } from '@/i18n/messages'

export const partMessages = defineMessages({
  apps: ['应用', 'Applications'],
  calls: ['调用日志', 'Calls'],
  deliveries: ['推送记录', 'Deliveries'],
  door: ['设置', 'Settings'],
})

export const messages = defineMessages({
  empty: ['还没有第三方应用', 'No applications yet'],
  emptyHint: [
    '新建一个应用，再为它生成密钥，对方的后台就能调用开放接口',
    'Create one and make a key for it; then its back end can call the Open API',
  ],
  search: ['名称或归属名称', 'Name or owner'],
  create: ['新建应用', 'New application'],
  edit: ['编辑', 'Edit'],
  editTitle: (name: string) => [`编辑 ${name}`, `Edit ${name}`],
  guide: ['接口文档', 'Documentation'],
  enable: ['启用', 'Enable'],
  enableQuestion: ['启用后该应用可以重新调用', 'It can call again'],
  disable: ['停用', 'Disable'],
  disableQuestion: ['停用后该应用的调用会立即被拒绝', 'Its calls are refused at once'],
  remove: ['删除', 'Delete'],
  removeQuestion: [
    '密钥一并删除；名下还有客户或云手机的应用不能删除',
    'Its keys are deleted with it. One that has brought customers or phones cannot be deleted',
  ],
  newKey: ['新密钥', 'New key'],
  newKeyQuestion: ['将生成一把密钥；密钥内容只显示一次', 'A key is made; its secret is shown once'],
  twoKeys: ['最多两把密钥，请先吊销一把', 'At most two live keys; revoke one first'],
  dropKey: (code: string) => [`吊销 ${code}`, `Revoke ${code}`],
  dropKeyQuestion: [
    '用这把密钥签名的调用会立即被拒绝；请确认对方已改用另一把',
    'Calls that are signed with it are refused at once; make sure that the other key is in use',
  ],
  overview: ['概况', 'Overview'],
  calls: partMessages.tree.calls,
  webhook: ['推送', 'Webhook'],
  noKeys: ['还没有密钥，暂时无法调用', 'It has no key yet and cannot call'],
  anyAddress: ['不限', 'Any'],
  noLimit: ['不限', 'No limit'],
  keyCount: (count: number) => [`${count} 把`, counted(count, 'key')],
  ownerHint: [
    '公司的应用可见全部客户和云手机；代理商、伙伴的应用只可见由其带来的',
    "The company's applications see all customers and phones; those of agents and partners see what they brought",
  ],
  ipsHint: [
    'IPv4 地址或网段（如 10.1.0.0/16），每行一个，最多 100 个；留空为不限',
    'IPv4 addresses or networks such as 10.1.0.0/16, one a line, 100 at most; empty for any',
  ],
  perDayHint: ['留空为不限', 'Empty for no limit'],
  fields: appWords,
})

export const keyMessages = defineMessages({
  title: ['新密钥', 'New key'],
  once: ['密钥内容只显示这一次，请现在复制并妥善保存', 'The secret is shown this once; copy it now and keep it safe'],
  close: ['我已保存', 'I have saved it'],
  fields: {
    code: ['密钥编号（X-Sky-Key）', 'Key (X-Sky-Key)'],
    secret: ['密钥内容', 'Secret'],
    createdAt: appWords.createdAt,
    createdBy: ['创建人', 'Created by'],
    lastUsedAt: ['最近使用', 'Last used'],
  },
})

export const callMessages = defineMessages({
  title: partMessages.tree.calls,
  empty: ['还没有调用', 'No calls yet'],
  emptyHint: [
    '应用调用开放接口后约一秒会出现在这里',
    'Calls of the Open API appear here about a second after they were made',
  ],
  search: ['接口、原因代码、密钥或 IP', 'Path, code, key or address'],
  fields: { ...callWords, appId: callWords.app },
})

export const hookMessages = defineMessages({
  edit: ['编辑推送', 'Edit'],
  editTitle: (name: string) => [`${name} 的推送`, `Webhook of ${name}`],
  newSecret: ['新推送密钥', 'New secret'],
  newSecretQuestion: [
    '之后的推送都用新密钥签名；对方换用之前的推送会失败，之后自动重试。密钥内容只显示一次',
    'Everything is signed with the new one from now on. What fails until it is in use there is sent again by itself. It is shown once',
  ],
  secretTitle: ['新推送密钥', 'New webhook secret'],
  test: ['发送测试', 'Send a test'],
  tested: ['已发送，结果稍后出现在推送记录中', 'Sent; what becomes of it is among the deliveries in a moment'],
  isOff: ['应用或推送未启用', 'The application or its webhook is off'],
  none: ['未设置', 'Not set'],
  noSecret: ['还没有，启用之前先生成', 'None yet; make one before you switch it on'],
  all: ['全部推送记录', 'All deliveries'],
  urlHint: [
    'https:// 开头。同一事件可能送达多次，每次编号相同；签名方法见接口文档。更换地址后原密钥作废、推送停用：请重新生成密钥再启用',
    'Starts with https://. An event may come more than once, with the same id. The documentation says how it is signed. With another address the secret is gone and nothing is sent: make a new one, then switch it on again',
  ],
  eventsHint: [
    '代理商、伙伴的应用只收到由其带来的云手机的事件',
    'Applications of agents and partners hear of the phones that they brought',
  ],
  fields: {
    enabled: ['推送状态', 'State'],
    url: ['推送地址', 'Address'],
    events: ['推送事件', 'Events'],
    keyCode: ['推送密钥编号（X-Sky-Key）', 'Secret (X-Sky-Key)'],
    pending: stateWords.pending.label,
    stuck: stateWords.stuck.label,
    updatedAt: appWords.updatedAt,
  },
})

export const deliveryMessages = defineMessages({
  title: partMessages.tree.deliveries,
  empty: ['还没有推送', 'Nothing was told yet'],
  emptyHint: [
    '在应用的“推送”中填写地址并启用后，云手机上下机、到期和连接结果会推送给对方',
    'Enter an address under Webhook of an application and switch it on; it is then told when phones come, leave or expire',
  ],
  search: ['对象或事件编号', 'About, or event ID'],
  replay: ['重新推送', 'Send again'],
  replayQuestion: [
    '以同一编号再次推送；正在等待重试的立即推送。应用或推送未启用的除外',
    'Sent once more with the same id; what waits for its next try is sent at once. Not those of applications that are off',
  ],
  overview: ['概况', 'Overview'],
  payload: ['推送内容', 'Body'],
  answer: ['对方应答', 'Answer'],
  noAnswer: ['没有应答内容', 'Nothing was answered'],
  fields: { ...deliveryWords, appId: deliveryWords.app },
})

export const doorMessages = defineMessages({
  title: doorTitle,
  hint: [
    '第三方应用如何调用、记录保留多久、可向哪里推送；保存后立即生效',
    'How applications may call, how long records are kept, and where they may be told; takes effect as soon as it is saved',
  ],
  plainHint: [
    '仅用于内网且另有加密的情况：否则途中任何人都能读到客户信息。推送地址同此',
    'Only where something else encrypts: otherwise anybody on the way reads about customers. It holds for webhooks as well',
  ],
  netsHint: [
    '推送默认只到公网。IPv4 网段（如 10.1.0.0/16），每行一个，最多 20 个',
    'Webhooks reach public addresses only, and these IPv4 networks such as 10.1.0.0/16, one a line, 20 at most',
  ],
  fields: doorWords,
})
