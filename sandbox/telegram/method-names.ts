// The names of the Bot API's methods. They tell a method that is not simulated from a misspelt name.

const names = `
  getMe getMyCommands setMyCommands deleteMyCommands getMyDefaultAdministratorRights
  setMyDefaultAdministratorRights getMyName setMyName setMyProfilePhoto removeMyProfilePhoto
  getMyDescription setMyDescription getMyShortDescription setMyShortDescription getChatMenuButton
  setChatMenuButton getUserProfilePhotos getUserProfileAudios sendMessage sendAnimation sendAudio
  sendDice sendDocument sendLivePhoto sendPhoto sendSticker sendVideo sendVideoNote sendVoice
  sendPaidMedia sendGame sendInvoice sendLocation sendVenue sendContact sendPoll stopPoll
  sendChecklist copyMessage copyMessages forwardMessage forwardMessages sendMediaGroup sendChatAction
  sendMessageDraft setMessageReaction editMessageText editMessageLiveLocation stopMessageLiveLocation
  editMessageMedia editMessageCaption editMessageChecklist editMessageReplyMarkup deleteMessage
  deleteMessages deleteMessageReaction deleteAllMessageReactions postStory repostStory editStory
  deleteStory createInvoiceLink getMyStarBalance getStarTransactions refundStarPayment
  editUserStarSubscription getAvailableGifts sendGift giftPremiumSubscription getManagedBotToken
  getManagedBotAccessSettings setManagedBotAccessSettings replaceManagedBotToken verifyUser verifyChat
  removeUserVerification removeChatVerification setGameScore getGameHighScores answerWebAppQuery
  answerGuestQuery answerInlineQuery savePreparedInlineMessage savePreparedKeyboardButton
  answerCallbackQuery answerShippingQuery answerPreCheckoutQuery exportChatInviteLink
  createChatInviteLink createChatSubscriptionInviteLink editChatInviteLink
  editChatSubscriptionInviteLink revokeChatInviteLink getBusinessConnection readBusinessMessage
  deleteBusinessMessages setBusinessAccountName setBusinessAccountUsername setBusinessAccountBio
  setBusinessAccountProfilePhoto removeBusinessAccountProfilePhoto setBusinessAccountGiftSettings
  getBusinessAccountStarBalance transferBusinessAccountStars getBusinessAccountGifts getUserGifts
  getChatGifts convertGiftToStars upgradeGift transferGift setUserEmojiStatus getChat
  getUserPersonalChatMessages setChatPhoto deleteChatPhoto setChatTitle setChatPermissions
  setChatDescription pinChatMessage unpinChatMessage unpinAllChatMessages approveSuggestedPost
  declineSuggestedPost setChatStickerSet deleteChatStickerSet getForumTopicIconStickers
  createForumTopic editForumTopic closeForumTopic reopenForumTopic deleteForumTopic
  unpinAllForumTopicMessages editGeneralForumTopic closeGeneralForumTopic reopenGeneralForumTopic
  hideGeneralForumTopic unhideGeneralForumTopic unpinAllGeneralForumTopicMessages getChatMember
  getChatAdministrators getChatMemberCount getChatMembersCount leaveChat promoteChatMember
  setChatAdministratorCustomTitle setChatMemberTag banChatMember kickChatMember restrictChatMember
  unbanChatMember banChatSenderChat unbanChatSenderChat approveChatJoinRequest declineChatJoinRequest
  getUserChatBoosts getStickerSet getCustomEmojiStickers uploadStickerFile createNewStickerSet
  addStickerToSet replaceStickerInSet setStickerSetTitle setStickerSetThumb setStickerSetThumbnail
  setCustomEmojiStickerSetThumbnail deleteStickerSet setStickerPositionInSet deleteStickerFromSet
  setStickerEmojiList setStickerKeywords setStickerMaskPosition setPassportDataErrors
  sendCustomRequest answerCustomQuery getUpdates setWebhook deleteWebhook getWebhookInfo getFile
  logOut close answerChatJoinRequestQuery sendChatJoinRequestWebApp editEphemeralMessageText
  editEphemeralMessageMedia editEphemeralMessageCaption editEphemeralMessageReplyMarkup
  deleteEphemeralMessage sendRichMessage sendRichMessageDraft
`;

const known = new Map(
  names
    .trim()
    .split(/\s+/)
    .map((name) => [name.toLowerCase(), name]),
);

/** The name as the documentation writes it; the API ignores the case of letters. */
export function methodName(name: string): string | undefined {
  return known.get(name.toLowerCase());
}
