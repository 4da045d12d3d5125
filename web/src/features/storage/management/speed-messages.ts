import { title, words } from '@/api/words/TransferSpeed'
import { defineMessages } from '@/i18n/messages'

/** How fast the agents of a room may transfer where it has no limit of its own. */
export const speedMessages = defineMessages({
  title,
  hint: [
    '适用于所有未单独限速的机房；机房的限速在“设备地址”中设置，存储节点的限速同时有效，以较低者为准。正在进行的传输立即生效',
    'For each room that has no limit of its own (Device address). The limit of a storage node counts besides: the lower one binds. It counts at once, for what is under way too',
  ],
  fields: words,
  limitedHint: ['关闭则不限速', 'Off is line rate'],
  downloadHint: [
    '每个机房所有代理合计，从存储节点读取（恢复、校验）',
    'Of all agents of a room together, when they read from storage nodes (restores, checks)',
  ],
  uploadHint: [
    '每个机房所有代理合计，写入存储节点（备份）',
    'Of all agents of a room together, when they write to storage nodes (backups)',
  ],
})
