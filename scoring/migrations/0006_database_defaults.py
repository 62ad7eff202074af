"""The previous release writes rows without this column while sites upgrade: the database fills it."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('scoring', '0005_job_timing'),
    ]

    operations = [
        migrations.AlterField(
            model_name='job',
            name='lost_leases',
            field=models.PositiveSmallIntegerField(db_default=0, default=0),
        ),
    ]
