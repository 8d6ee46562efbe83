-- What sending adds to the record.

alter type outrider.event_action add value 'channel_moved';
