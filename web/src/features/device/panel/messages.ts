import { defineMessages } from '@/i18n/messages'

export const messages = defineMessages({
  title: ['设备面板', 'Device panel'],
  rooms: ['全部机房', 'All rooms'],
  noRooms: ['还没有机房', 'No room yet'],
  noRoomsHint: ['在“设备地址”中新建机房、机架与主机', 'Make rooms, frames and hosts under “Room operator config”'],
  noCards: ['该机房没有上架的安卓卡', 'No card stands in this room'],
  noCardsHint: [
    '在“设备管理”中新建或移动安卓卡到卡位',
    'Create cards in “Device management”, or move them into positions',
  ],
  agents: (count: number) => [`${count} 个代理在线`, count === 1 ? '1 agent' : `${count} agents`],
  noAgent: ['无代理连接', 'No agent'],
  cards: (count: string) => [`${count} 张卡`, `${count} cards`],
  online: (count: string) => [`在线 ${count}`, `${count} online`],
  selected: (count: string) => [`已选 ${count} 张卡`, `${count} cards selected`],
  clear: ['清除选择', 'Clear'],
  open: ['查看详情', 'Open'],
  rack: (name: string) => [`${name} 的机架图`, `The racks of ${name}`],
  help: [
    '方向键移动，空格选择，回车查看；按住鼠标拖动可框选，按住 Ctrl 追加',
    'Arrow keys move, Space selects, Enter opens; drag to select, Ctrl adds',
  ],
  cell: (frame: string, host: string, position: number, status: string) => [
    `${frame} ${host} 卡位 ${position}：${status}`,
    `${frame} ${host} position ${position}: ${status}`,
  ],
})
