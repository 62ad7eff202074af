"""How many people may follow a link, and which teams an organiser admits after the close."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ("campaigns", "0010_end_of_upload"),
    ]

    operations = [
        migrations.AddField(
            model_name='invitation',
            name='max_uses',
            field=models.PositiveSmallIntegerField(db_default=1, default=1),
        ),
        migrations.AddField(
            model_name='invitation',
            name='uses',
            field=models.PositiveSmallIntegerField(db_default=0, default=0),
        ),
        migrations.AddField(
            model_name='team',
            name='admitted_at',
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddConstraint(
            model_name='invitation',
            constraint=models.CheckConstraint(condition=models.Q(('uses__lte', models.F('max_uses'))), name='invitation_within_its_uses'),
        ),
    ]
