import { defineMessages } from '@/i18n/messages'

export const messages = defineMessages({
  title: ['设备地图', 'Device map'],
  picture: ['机房所在位置', 'Where the rooms are'],
  noRooms: ['还没有机房', 'No room yet'],
  noPlace: ['未填写经纬度', 'No position is written down'],
  cards: (count: string) => [`${count} 张卡`, `${count} cards`],
  online: (count: string) => [`在线 ${count}`, `${count} online`],
  fault: (count: string) => [`故障 ${count}`, `${count} faulty`],
  offline: (count: string) => [`离线 ${count}`, `${count} offline`],
  agents: (count: number) => [`${count} 个代理在线`, count === 1 ? '1 agent connected' : `${count} agents connected`],
  noAgent: ['没有代理连接', 'No agent is connected'],
  good: ['正常', 'Fine'],
  warn: ['有离线设备', 'Cards are offline'],
  bad: ['有故障设备', 'Cards are faulty'],
  zoomIn: ['放大', 'Zoom in'],
  zoomOut: ['缩小', 'Zoom out'],
  fit: ['显示全部机房', 'All rooms'],
  world: ['世界', 'World'],
  load: ['加载 GeoJSON 底图', 'Load a GeoJSON map'],
  loadHint: [
    '自带底图只有海岸线。可加载贵司已获授权的底图，仅保存在本浏览器',
    'The map that ships has coastlines only. Load one that your company is licensed to show; it stays in this browser',
  ],
  unload: ['移除底图', 'Remove the map'],
  badFile: ['文件不是 GeoJSON', 'The file is no GeoJSON'],
})
