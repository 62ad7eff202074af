from scoring.routes import boards, downloads, qrels

app_name = "scoring"
urlpatterns = [*boards.urlpatterns, *qrels.urlpatterns, *downloads.urlpatterns]
