// What rests on nothing stands in the middle of the map: where all of it does not fit, that is seen first.
const map = document.querySelector(".map");
if (map) map.scrollLeft = (map.scrollWidth - map.clientWidth) / 2;
