import "./style.css"; document.getElementById("page").textContent="x";
