import { words as findingWords } from '@/api/words/FindingView'
import { defineMessages } from '@/i18n/messages'

export const messages = defineMessages({
  empty: ['登记与机房一致', 'Records match the rooms'],
  emptyHint: [
    '机房代理定期扫描；发现的差异会出现在这里',
    'Room agents scan regularly; the differences they find appear here',
  ],
  toAgents: ['查看机房代理', 'See the room agents'],
  search: ['序列号或 IP', 'Serial or IP'],
  ignored: ['已忽略', 'Ignored'],
  open: ['待处理', 'Open'],
  accept: ['登记', 'Register'],
  acceptQuestion: ['登记为新设备；可选择它所在的位置', 'Registers it as a new card; you may choose its position'],
  acceptProposal: [
    '登记为新设备；建议的位置已填好，可以更改',
    'Registers it as a new card. The proposed place is filled in; you can change it',
  ],
  byBmc: ['按 BMC 映射', 'By the BMC mapping'],
  byNeighbours: ['按相邻地址的卡', 'By the cards with the addresses next to it'],
  follow: ['更新位置', 'Update position'],
  followQuestion: ['按机房实际情况更新地址', 'Updates the recorded address to the one found in the room'],
  retire: ['报废', 'Retire'],
  retireQuestion: [
    '把未找到的卡报废；它的位置与地址会空出来',
    'Retires the missing card; its position and address become free',
  ],
  take: ['替换', 'Replace'],
  takeQuestion: ['以机房中的卡替换登记的卡', 'Replaces the recorded card with the one found in the room'],
  correct: ['更正型号', 'Correct model'],
  correctQuestion: ['按设备自报的型号更正', 'Updates the recorded model to the one the card reports'],
  revive: ['重新登记', 'Register again'],
  reviveQuestion: [
    '该卡已报废但仍在线，重新登记它',
    'The card was retired but is still online; this registers it again',
  ],
  ignore: ['忽略', 'Ignore'],
  unignore: ['取消忽略', 'Stop ignoring'],
  fields: {
    ...findingWords,
    // With its port, in one column.
    intranetIp: ['内网地址', 'Intranet address'],
    roomId: findingWords.room,
    ignored: ['状态', 'State'],
  },
})
