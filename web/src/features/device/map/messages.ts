import { counted, defineMessages } from '@/i18n/messages'

export const messages = defineMessages({
  picture: ['机房所在位置', 'Room locations'],
  noPlace: ['未填写经纬度', 'No coordinates'],
  cards: (count: string) => [`${count} 张卡`, counted(count, 'card')],
  online: (count: string) => [`在线 ${count}`, `${count} online`],
  fault: (count: string) => [`故障 ${count}`, `${count} faulty`],
  offline: (count: string) => [`离线 ${count}`, `${count} offline`],
  agents: (count: number) => [`${count} 个代理在线`, count === 1 ? '1 agent connected' : `${count} agents connected`],
  good: ['正常', 'Normal'],
  some: ['部分卡异常', 'Some cards in trouble'],
  many: ['大量卡异常', 'Many cards in trouble'],
  away: ['无代理连接', 'No agent'],
  zoomIn: ['放大', 'Zoom in'],
  zoomOut: ['缩小', 'Zoom out'],
  fit: ['显示全部机房', 'Show all rooms'],
  world: ['世界', 'World'],
  load: ['加载 GeoJSON 底图', 'Load GeoJSON base map'],
  loadHint: [
    '自带底图只有海岸线。可加载贵司已获授权的底图，仅保存在本浏览器',
    'The built-in map has coastlines only. You can load a base map that your company is licensed to use; it is stored in this browser only',
  ],
  unload: ['移除底图', 'Remove base map'],
  badFile: ['文件不是 GeoJSON', 'The file is not GeoJSON'],
})
