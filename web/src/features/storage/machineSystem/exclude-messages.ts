import { defineMessages } from '@/i18n/messages'

/** What the act itself says: every feature that finds such a path carries it. */
export const excludeMessages = defineMessages({
  exclude: ['在该镜像上排除', 'Leave out on this image'],
  excludeQuestion: [
    '此镜像的所有云手机，备份时不再包含该路径下的内容，下机后会丢失；另一位操作员审批后生效',
    'Backups of all phones on this image will lack what is below this path, and it is lost when they go off; holds once another operator has approved it',
  ],
  excluded: ['已提出，等待另一位操作员审批', 'Named; it waits for another operator'],
})
