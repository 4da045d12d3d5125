import { defineMessages } from '@/i18n/messages'

/** What the act itself says: every feature that finds such a path carries it. */
export const excludeMessages = defineMessages({
  exclude: ['在该镜像上排除', 'Leave out on this image'],
  excludeQuestion: ['须由另一位操作员审批', 'Another operator has to approve it'],
  excluded: ['已提出，等待另一位操作员审批', 'Named; it waits for another operator'],
})
