import { words } from '@/api/words/ForbiddenApp'
import { defineMessages } from '@/i18n/messages'

/** Apps that phones may not have. */
export const messages = defineMessages({
  empty: ['没有禁止的应用', 'No app is forbidden'],
  emptyHint: [
    '禁止的应用在云手机上机时不会恢复，含有它的备份保留 30 天',
    'A forbidden app does not come back with a phone, and the backup that has it is kept for 30 days',
  ],
  search: ['名称或包名', 'Name or package'],
  create: ['禁止应用', 'Forbid an app'],
  packageHint: [
    '云手机下次上机时不再恢复该应用及其数据，备份中的数据保留 30 天；已在卡上的云手机不受影响，到换卡为止',
    'From now on the app and its data do not come with a phone; what a backup has of it is kept for 30 days. Phones that are on their cards keep it until they come on another one',
  ],
  edit: ['编辑', 'Edit'],
  editTitle: (name: string) => [`编辑 ${name}`, `Edit ${name}`],
  remove: ['取消禁止', 'Forbid no longer'],
  removeQuestion: (name: string) => [
    `取消后，含有“${name}”的备份上机时会恢复它`,
    `“${name}” comes again with backups that have it`,
  ],
  allPlans: ['全部套餐', 'All plans'],
  fields: words,
})
