import { words as addressPlanWords } from '@/api/words/AddressPlanView'
import { counted, defineMessages } from '@/i18n/messages'

export const messages = defineMessages({
  empty: ['还没有地址段', 'No address plans yet'],
  emptyHint: [
    '为机房新建一个地址段：内网地址与端口一一对应外网地址与端口',
    'Create one for a room: intranet addresses and ports map one-to-one to extranet ones',
  ],
  search: ['名称或 IP', 'Name or IP'],
  create: ['新建地址段', 'New address plan'],
  edit: ['编辑', 'Edit'],
  editTitle: (name: string) => [`编辑地址段 ${name}`, `Edit ${name}`],
  remove: ['删除', 'Delete'],
  removeQuestion: ['删除后，已有安卓卡的地址不变', 'Existing cards keep their addresses'],
  inside: ['内网', 'Intranet'],
  outside: ['外网', 'Extranet'],
  endHint: ['留空表示只有一个', 'Leave empty for a single one'],
  preview: ['展开预览', 'Preview'],
  previewHint: ['填写完整后自动展开', 'Shown once the ranges are complete'],
  holds: (count: string) => [`共 ${count} 张卡`, counted(count, 'card')],
  overlaps: (name: string) => [`与地址段“${name}”重叠`, `Overlaps with “${name}”`],
  card: ['卡', 'Card'],
  fields: {
    ...addressPlanWords,
    roomId: addressPlanWords.room,
    // A range in one column; the file has its parts.
    intranet: ['内网地址', 'Intranet'],
    extranet: ['外网地址', 'Extranet'],
    createdAt: ['创建时间', 'Created at'],
  },
})
