import { defineMessages } from '@/i18n/messages'

/** What copies leave out on an image. */
export const exclusionMessages = defineMessages({
  of: (image: string) => [`备份排除：${image}`, `Left out of backups: ${image}`],
  everywhere: ['所有镜像默认不备份', 'Left out on every image'],
  here: ['仅在该镜像上不备份', 'Left out on this image as well'],
  hereHint: [
    '提出后须由另一位操作员审批才生效；应用数据、用户文件与其他用户的数据始终不能排除',
    "Holds once another operator has approved it. The data of apps, files of users and other users' data are never left out",
  ],
  none: ['没有', 'None'],
  reason: ['原因', 'Reason'],
  namedBy: ['提出人', 'Named by'],
  approvedBy: ['审批', 'Approval'],
  waits: ['待审批', 'Awaiting approval'],
  lost: [
    '此镜像的所有云手机，备份时不再包含该路径下的内容，下机后会丢失；另一位操作员审批后生效',
    'Backups of all phones on this image will lack what is below this path, and it is lost when they go off; holds once another operator has approved it',
  ],
  pathHint: [
    '以 /data/ 开头；* 代表名称中的任意字符，第一级不能使用',
    'Begins with /data/; a * stands for any characters of a name, and not in the first one',
  ],
  approve: ['审批通过', 'Approve'],
  approveQuestion: [
    '确认该路径下没有用户需要的数据；因此待处理的下机会立即重试',
    'Confirms that nobody needs what is below this path; take-offs that are held for it are tried again at once',
  ],
  own: ['须由另一位操作员审批', 'Another operator has to approve it'],
  remove: ['取消排除', 'Leave out no longer'],
  removeQuestion: [
    '取消后，该路径下超过 1 MB 的内容会再次阻止备份与下机',
    'More than 1 MB below this path will stand in the way of backups and take-offs again',
  ],
  fields: { path: ['路径', 'Path'] },
})
