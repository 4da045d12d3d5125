import { defineMessages } from '@/i18n/messages'

export const placeMessages = defineMessages({
  room: ['机房', 'Room'],
  frame: ['机架', 'Frame'],
  host: ['主机', 'Host'],
  hostHint: ['留空表示暂不上架', 'Empty: it stands nowhere yet'],
  position: ['位置', 'Position'],
})
