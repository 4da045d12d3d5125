import { words as cardWords } from '@/api/words/CardView'
import { defineMessages } from '@/i18n/messages'

export const placeMessages = defineMessages({
  room: cardWords.room,
  frame: cardWords.frame,
  host: cardWords.host,
  hostHint: ['留空表示暂不上架', 'Leave empty if it is not racked yet'],
  position: cardWords.position,
})
