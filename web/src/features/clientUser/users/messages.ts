import { words as clientUserWords } from '@/api/words/ClientUserView'
import { defineMessages } from '@/i18n/messages'

export const messages = defineMessages({
  empty: ['还没有客户端用户', 'No client users yet'],
  emptyHint: [
    '客户端用户注册后会出现在这里，也可以新建或从表格导入',
    'Users appear here once they register in a client; you can also create or import them',
  ],
  search: ['姓名、手机号、邮箱、识别码', 'Name, phone, email or code'],
  fields: { ...clientUserWords, appId: clientUserWords.app },
  create: ['新建客户端用户', 'New user'],
  edit: ['编辑', 'Edit'],
  editTitle: (name: string) => [`编辑客户端用户 ${name}`, `Edit ${name}`],
  import: ['导入', 'Import'],
  importTitle: ['导入客户端用户', 'Import client users'],
  disable: ['禁用', 'Disable'],
  disableQuestion: [
    '禁用后该客户端用户会立即被强制下线，且无法再登录',
    'The user is signed out immediately and cannot sign in again',
  ],
  enable: ['启用', 'Enable'],
  enableQuestion: ['启用后该客户端用户可以重新登录', 'The user can sign in again'],
  isClosed: ['账号已注销，不能再更改', 'The account is closed and cannot be changed'],
  profile: ['资料', 'Profile'],
  noApp: ['公司自己', 'The company itself'],
  records: ['登录记录', 'Sign-ins'],
  identCodeHint: ['留空则自动生成', 'Generated if left empty'],
})
