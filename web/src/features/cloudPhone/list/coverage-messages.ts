import { counted, defineMessages } from '@/i18n/messages'
import { grouped } from '@/rules/format'
import { phoneMessages } from './phone-messages'

export const coverageMessages = defineMessages({
  title: phoneMessages.tree.coverage,
  hint: [
    '由机房代理从卡上读取，不改动任何内容，云手机可继续使用；文件多时需要一分钟左右',
    'Read from the card by the room agent. Nothing is changed and the phone goes on; with many files it takes about a minute',
  ],
  look: ['读取', 'Read'],
  again: ['重新读取', 'Read again'],
  reading: ['正在读取…', 'Reading…'],
  covered: ['所有数据都会备份，或可重新生成', 'All data is copied, or is made again'],
  took: (seconds: number) => [`读取用时 ${seconds} 秒`, `Read in ${seconds} s`],
  files: (count: number) => [`${grouped(count)} 个文件`, counted(count, 'file')],
  kept: ['备份', 'Copied'],
  apps: (count: number) => [`应用数据（${count}）`, `Data of ${counted(count, 'app')}`],
  more: ['其他应用', 'Further apps'],
  shared: ['用户文件', 'Shared files'],
  settings: ['系统设置', 'Settings'],
  packages: ['安装包', 'Packages'],
  packagesHint: ['所有云手机共存一份', 'Kept once for all phones'],
  dropped: ['不备份', 'Left out'],
  uncovered: ['无人认领的数据', 'Nobody has decided about'],
  uncoveredHint: [
    '超过 1 MB 时无法备份：请查明是什么，没有用处的可在该镜像上排除；文件数为 0 的是挂载点，其中的内容未读取，同样无法备份',
    'More than 1 MB of it stands in the way of a copy: find out what it is; what nobody needs may be left out on this image. So does a place with 0 files: something is mounted there, and was not read',
  ],
  name: ['名称', 'Name'],
  amount: ['大小', 'Size'],
  count: ['文件数', 'Files'],
  why: ['原因', 'Why'],
  none: ['没有', 'None'],
})
